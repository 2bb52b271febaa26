//! Lanes that are put into a vector one by one are put there at once, and numbers that lie side by side are loaded at once
//! (Larsen, Amarasinghe: Exploiting Superword Level Parallelism with Multimedia Instruction Sets, PLDI 2000, for these two only).
//!
//! `a.xyz -= b.xyz` and `(float4)(s.x, s.y, s.z, s.w)` are how programs write vectors of three, and structures of numbers.

use super::neighbours::address;
use super::replace::Replacements;
use crate::ir::{Attr, Block, Builder, Def, Effect, Function, Inst, InstId, Mem, Op, Type, Value};
use crate::passes::pipeline::Context;
use crate::support::{FastMap, IdMap};

/// Runs the pass.
pub fn run(func: &mut Function, _: &mut Context<'_>) -> bool {
    let fills = |inst: &Inst| matches!(inst.op, Op::BuildVector | Op::Insert);
    if !func.instructions().any(fills) {
        return false;
    }
    let has_moved = move_lanes(func);
    load_at_once(func) || has_moved
}

/// Chains of inserts of lanes that are taken out of vectors, whose links nobody else uses, become vectors that are built.
fn move_lanes(func: &mut Function) -> bool {
    let mut uses: IdMap<Value, u32> = IdMap::with_len(0, func.values.len());
    let mut is_link = IdMap::with_len(false, func.values.len());
    for inst in func.instructions() {
        inst.uses().for_each(|value| uses[value] += 1);
        if inst.op == Op::Insert {
            is_link[inst.args[0]] = true;
        }
    }
    let is_end = |inst: &Inst| {
        let is_no_link = |result: Value| !is_link[result] || uses[result] > 1;
        inst.op == Op::Insert && inst.result.is_some_and(is_no_link)
    };
    let mut has_changed = false;
    for block in func.layout.clone() {
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let chain =
                Some(&func.insts[id]).filter(|inst| is_end(inst)).and_then(|end| inserted(func, end, &uses));
            if let Some((start, lanes)) = chain {
                let loc = func.insts[id].loc;
                let mut b = Builder::new(func, block);
                b.loc = loc;
                let lanes = (0u16..)
                    .zip(lanes)
                    .map(|(at, lane)| lane.unwrap_or_else(|| b.extract(start, at)))
                    .collect();
                let inst = &mut func.insts[id];
                (inst.op, inst.attr, inst.args) = (Op::BuildVector, Attr::None, lanes);
                has_changed = true;
            }
            func.blocks[block].insts.push(id);
        }
    }
    has_changed
}

/// What a chain of inserts begins with, and the lanes that it sets, if these are some, and of one vector.
fn inserted(func: &Function, end: &Inst, uses: &IdMap<Value, u32>) -> Option<(Value, Vec<Option<Value>>)> {
    let mut lanes: Vec<Option<Value>> = vec![None; end.ty.lanes.into()];
    let (mut link, mut set) = (end, 0);
    let start = loop {
        let lane = &mut lanes[link.int() as usize];
        if lane.is_none() {
            *lane = Some(link.args[1]);
            set += 1;
        }
        let before = link.args[0];
        match func.def_inst(before) {
            Some(def) if def.op == Op::Insert && uses[before] == 1 => link = def,
            _ => break before,
        }
    };
    let of = |value: &Value| func.def_inst(*value).filter(|def| def.op == Op::Extract).map(|def| def.args[0]);
    let mut vectors = lanes.iter().flatten().map(of);
    let first = vectors.next()??;
    let is_moved = set > 1 && vectors.all(|vector| vector == Some(first));
    (is_moved && end.ty.kind.bits() >= 32).then_some((start, lanes))
}

/// Loads of which a vector is built.
struct Loads {
    /// The vector.
    id: InstId,
    /// Those of the lanes, and which comes first.
    lanes: Vec<InstId>,
    first: usize,
}

fn load_at_once(func: &mut Function) -> bool {
    let mut replaced = Replacements::new(func);
    let mut has_changed = false;
    for block in func.layout.clone() {
        let found = loads(func, block);
        if found.is_empty() {
            continue;
        }
        has_changed = true;
        let firsts: FastMap<InstId, usize> =
            found.iter().enumerate().map(|(at, loads)| (loads.lanes[loads.first], at)).collect();
        let gone: FastMap<InstId, ()> = found
            .iter()
            .flat_map(|loads| loads.lanes.iter().chain([&loads.id]))
            .map(|&id| (id, ()))
            .collect();
        for id in std::mem::take(&mut func.blocks[block].insts) {
            if let Some(&at) = firsts.get(&id) {
                load(func, block, &found[at], &mut replaced);
            }
            if !gone.contains_key(&id) {
                func.blocks[block].insts.push(id);
            }
        }
    }
    replaced.apply(func);
    has_changed
}

/// Vectors of a block whose lanes are loaded one by one from places that follow each other, with nothing written in between.
fn loads(func: &Function, block: Block) -> Vec<Loads> {
    // When a load is done, counted by what is written, and how many come before it.
    let mut times: FastMap<InstId, (usize, usize)> = FastMap::default();
    let mut written = 0;
    let mut found: Vec<Loads> = Vec::new();
    let mut taken: FastMap<InstId, ()> = FastMap::default();
    for &id in &func.blocks[block].insts {
        let inst = &func.insts[id];
        if inst.op == Op::Load && !inst.ty.is_vector() && !inst.mem().volatile {
            times.insert(id, (written, times.len()));
        } else if !matches!(inst.op.effect(), Effect::Pure | Effect::Read) {
            written += 1;
        }
        if inst.op != Op::BuildVector || inst.ty.is_mask() || !matches!(inst.ty.bits(), 64 | 128 | 256) {
            continue;
        }
        let made_by = |&arg: &Value| match func.values[arg].def {
            Def::Inst(id) => Some(id),
            Def::Param(..) => None,
        };
        let lanes: Option<Vec<InstId>> = inst.args.iter().map(made_by).collect();
        let Some(lanes) = lanes else { continue };
        let Some(times) = lanes.iter().map(|lane| times.get(lane)).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let is_free = lanes.iter().all(|lane| !taken.contains_key(lane));
        if !is_free || times.iter().any(|time| time.0 != times[0].0) || !are_in_line(func, &lanes) {
            continue;
        }
        let first = (0..lanes.len()).min_by_key(|&at| times[at].1).unwrap_or(0);
        taken.extend(lanes.iter().map(|&lane| (lane, ())));
        found.push(Loads { id, lanes, first });
    }
    found
}

/// Whether loads are of one kind, from places that follow each other.
fn are_in_line(func: &Function, lanes: &[InstId]) -> bool {
    let start = address(func, func.insts[lanes[0]].args[0]);
    let ty = func.insts[lanes[0]].ty;
    let step = i64::from(ty.kind.bytes());
    (0i64..).zip(lanes).all(|(at, &lane)| {
        let inst = &func.insts[lane];
        let place = address(func, inst.args[0]);
        inst.ty == ty
            && (place.0, &place.1) == (start.0, &start.1)
            && place.2 == start.2.wrapping_add(at.wrapping_mul(step))
    })
}

/// Writes the load of all lanes at the end of a block.
fn load(func: &mut Function, block: Block, loads: &Loads, replaced: &mut Replacements) {
    let mut inst = func.insts[loads.lanes[loads.first]].clone();
    replaced.resolve(&mut inst);
    let ty = Type::vector(inst.ty.kind, loads.lanes.len() as u16);
    let back = loads.first as u64 * u64::from(inst.ty.kind.bytes());
    let mut b = Builder::new(func, block);
    b.loc = inst.loc;
    let place = b.ptr_offset(inst.args[0], back.wrapping_neg());
    let all = b.load(ty, place, Mem { align: inst.mem().align, ..inst.mem() });
    for (lane, &id) in (0u16..).zip(&loads.lanes) {
        if let Some(result) = b.func.insts[id].result {
            let one = b.extract(all, lane);
            replaced.set(result, one);
        }
    }
    if let Some(result) = b.func.insts[loads.id].result {
        replaced.set(result, all);
    }
}
