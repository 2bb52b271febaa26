//! Emits the vectorized loop before the loop that there was.
//!
//! ```text
//! entering -> start -> head(header's parameters, lanes of accumulators) -> body: widened iterations, accumulation -> head
//!                      head -> rest: lanes of accumulators are combined -> header, the original loop
//! ```

use super::super::super::scalar::inline::Copier;
use super::WideLoop;
use super::accumulators::{Accumulation, Accumulator};
use super::counted::{Change, CountedLoop};
use super::outline::Source;
use grus_ir::op::Reduction;
use grus_ir::{Attr, Block, Builder, Function, IntCond, Mem, Op, ParamFacts, Target, Type, Value};
use grus_support::FastMap;

/// Emits a vectorized loop.
pub(super) fn emit(func: &mut Function, counted: &CountedLoop, wide: &WideLoop) {
    let lanes = wide.lanes;
    let entry = func.entry();
    let header_params = func.blocks[counted.shape.header].params.clone();
    let [start, head, body, rest] = [0; 4].map(|_| func.add_block());
    let params: Vec<Value> = header_params
        .iter()
        .map(|&param| {
            let ty = func.ty(param);
            func.add_param(head, ty)
        })
        .collect();
    let in_lanes: Vec<(usize, Reduction, Value)> = wide
        .accumulations
        .iter()
        .enumerate()
        .filter_map(|(at, accumulation)| match accumulation.kind {
            Accumulator::InLanes { how, .. } => {
                Some((at, how, func.add_param(head, accumulation.ty.with_lanes(lanes))))
            }
            Accumulator::InOrder(_) => None,
        })
        .collect();
    let starts = counted.shape.starts(func).to_vec();
    let edge = counted.shape.enter;
    func.terminator_mut(counted.shape.entering).targets[edge] = Target::new(start, &[]);

    let (bound, queries) = emit_start(func, counted, wide, start, &starts, head, &in_lanes);
    emit_test(func, counted, lanes, params[counted.counter], bound, head, [rest, body]);

    let mut allocas = Vec::new();
    let slots: Vec<Option<Value>> = wide
        .sources
        .iter()
        .map(|source| match source {
            Source::Slot(ty) => {
                let size = u64::from(ty.bytes()) * u64::from(lanes);
                let slot = Builder::new(func, entry).alloca(size, size.min(64) as u32);
                allocas.extend(func.blocks[entry].insts.pop());
                Some(slot)
            }
            _ => None,
        })
        .collect();
    let args = emit_args(func, wide, body, &params, &queries, &slots);
    for &(at, _, value) in &in_lanes {
        if let Accumulator::InLanes { slot, .. } = wide.accumulations[at].kind {
            let slot = slots[slot].expect("it is one");
            let ty = wide.accumulations[at].ty;
            Builder::new(func, body).store(value, slot, Mem::natural(ty));
        }
    }
    let after = func.add_block();
    func.add_param(after, Type::I32);
    let first = Copier::copy(func, &wide.wide, &args, after, 0, &mut allocas);
    let b = &mut Builder::new(func, body);
    b.jump(first, &[]);
    b.switch_to(after);
    let nexts = emit_nexts(b, counted, wide, &params, &slots, &in_lanes);
    b.jump(head, &nexts);

    b.switch_to(rest);
    let mut args = params;
    for &(at, how, value) in &in_lanes {
        let Accumulation { header, .. } = wide.accumulations[at];
        let lanes = b.halve(value, |b, [x, y]| b.combine(how, x, y));
        let before = component(b, args[header.0], header.1);
        let all = b.combine(how, before, lanes);
        args[header.0] = with_component(b, args[header.0], header.1, all);
    }
    b.jump(counted.shape.header, &args);
    func.blocks[entry].insts.splice(0..0, allocas);
}

/// Emits what is computed once before the loop: the bound, 0 if the counter could exceed 31 bits, and copies of
/// queries. Enters the loop.
fn emit_start(
    func: &mut Function,
    counted: &CountedLoop,
    wide: &WideLoop,
    start: Block,
    starts: &[Value],
    head: Block,
    in_lanes: &[(usize, Reduction, Value)],
) -> (Value, Vec<Option<Value>>) {
    let constant = func.as_const(counted.bound);
    let copied = wide.sources.iter().map(|source| match *source {
        Source::Copy(id) => Some(func.insts[id].clone()),
        _ => None,
    });
    let copied: Vec<Option<grus_ir::Inst>> = copied.collect();
    let b = &mut Builder::new(func, start);
    let bound = match constant {
        Some(bits) => b.iconst(counted.ty, bits),
        None => counted.bound,
    };
    let one = b.iconst(counted.ty, u64::from(counted.is_inclusive));
    let end = if counted.is_inclusive { b.same(Op::Iadd, &[bound, one]) } else { bound };
    let limit = b.iconst(counted.ty, ParamFacts::SMALL.into());
    let is_small = b.icmp(IntCond::Ult, bound, limit);
    let none = b.iconst(counted.ty, 0);
    let bound = b.select(is_small, end, none);
    let queries = copied
        .into_iter()
        .map(|inst| inst.map(|inst| b.value(inst.op, inst.ty, &inst.args, inst.attr)))
        .collect();
    let mut args = starts.to_vec();
    for &(_, how, value) in in_lanes {
        let ty = b.func.ty(value);
        args.push(b.constant(ty, how.identity(ty.kind)));
    }
    b.jump(head, &args);
    (bound, queries)
}

/// Emits the branch to the body if that many iterations are left, both as unsigned numbers and as signed ones: counter
/// and bound are below 2³¹.
fn emit_test(
    func: &mut Function,
    counted: &CountedLoop,
    lanes: u16,
    counter: Value,
    bound: Value,
    head: Block,
    [rest, body]: [Block; 2],
) {
    let b = &mut Builder::new(func, head);
    let last = u64::from(counted.step) * u64::from(lanes - 1);
    let last = b.iconst(counted.ty, last);
    let is_past = b.icmp(IntCond::Uge, counter, bound);
    let left = b.same(Op::Isub, &[bound, counter]);
    let are_few = b.icmp(IntCond::Ule, left, last);
    let is_done = b.same(Op::Or, &[is_past, are_few]);
    // The exit comes first: code generation hoists only out of loops of that form.
    b.br_to(is_done, Target::new(rest, &[]), Target::new(body, &[]));
}

/// Emits the arguments of the widened iterations: the values of the first one.
fn emit_args(
    func: &mut Function,
    wide: &WideLoop,
    body: Block,
    params: &[Value],
    queries: &[Option<Value>],
    slots: &[Option<Value>],
) -> Vec<Value> {
    let b = &mut Builder::new(func, body);
    let arg = |(at, source): (usize, &Source)| match *source {
        Source::Header(param) => params[param],
        Source::HeaderLane(param, lane) => b.extract(params[param], lane),
        Source::Outside(value) => value,
        Source::OutsideLane(value, lane) => b.extract(value, lane),
        Source::Copy(_) => queries[at].expect("it is copied"),
        Source::Lane(ty) => b.iconst(ty, 0),
        Source::Slot(_) => slots[at].expect("it is allocated"),
    };
    wide.sources.iter().enumerate().map(arg).collect()
}

/// Emits the values of the header's parameters after the iterations of a vector, and the lanes of accumulators.
fn emit_nexts(
    b: &mut Builder<'_>,
    counted: &CountedLoop,
    wide: &WideLoop,
    params: &[Value],
    slots: &[Option<Value>],
    in_lanes: &[(usize, Reduction, Value)],
) -> Vec<Value> {
    let lanes = u32::from(wide.lanes);
    let mut nexts = params.to_vec();
    for (next, &change) in nexts.iter_mut().zip(&counted.changes) {
        let ty = b.func.ty(*next);
        match change {
            Change::Add(step) if ty.kind.is_ptr() => *next = b.ptr_offset(*next, u64::from(step * lanes)),
            Change::Add(step) => {
                let step = b.iconst(ty, u64::from(step * lanes));
                *next = b.same(Op::Iadd, &[*next, step]);
            }
            Change::Shift(by) if by * lanes < ty.bits() => *next = b.shift(Op::Lshr, *next, by * lanes),
            Change::Shift(_) => *next = b.iconst(ty, 0),
            Change::None | Change::Carried => {}
        }
    }
    let mut loaded: FastMap<(Value, u16), Value> = FastMap::default();
    for Accumulation { header, ty, kind } in &wide.accumulations {
        let Accumulator::InOrder(updates) = kind else { continue };
        let mut value = component(b, nexts[header.0], header.1);
        for lane in 0..wide.lanes {
            for update in updates {
                let operand = |&slot: &Option<usize>| match slot {
                    None => value,
                    Some(slot) => {
                        let slot = slots[slot].expect("it is one");
                        *loaded.entry((slot, lane)).or_insert_with(|| {
                            let at = b.ptr_offset(slot, u64::from(lane) * u64::from(ty.bytes()));
                            b.load(*ty, at, Mem::natural(*ty))
                        })
                    }
                };
                let operands: Vec<Value> = update.operands.iter().map(operand).collect();
                value = b.value(update.op, *ty, &operands, Attr::None);
            }
        }
        nexts[header.0] = with_component(b, nexts[header.0], header.1, value);
    }
    for &(at, _, value) in in_lanes {
        if let Accumulator::InLanes { slot, .. } = wide.accumulations[at].kind {
            let (slot, vector) = (slots[slot].expect("it is one"), b.func.ty(value));
            nexts.push(b.load(vector, slot, Mem::natural(vector)));
        }
    }
    nexts
}

fn component(b: &mut Builder<'_>, value: Value, lane: Option<u16>) -> Value {
    lane.map_or(value, |lane| b.extract(value, lane))
}

fn with_component(b: &mut Builder<'_>, value: Value, lane: Option<u16>, new: Value) -> Value {
    let Some(lane) = lane else { return new };
    let ty = b.func.ty(value);
    b.value(Op::Insert, ty, &[value, new], Attr::Int(lane.into()))
}
