//! Lanes that walk: in a loop each goes through memory by itself, element after element, the others far away. One item after the
//! other does so in one stream, which the processor reads ahead; as many streams as there are lanes it does not follow,
//! and where rows are a power of two apart their lines push each other out of the first cache.

use crate::ir::analysis::{LoopId, Loops};
use crate::ir::interp::signed;
use crate::ir::{Block, Def, Effect, Function, Inst, Kind, Op, Value};
use crate::support::IdMap;

/// Bytes of a line: what goes further in a turn is no stream.
const LINE: u64 = 64;

/// Instructions that an address is made of.
const MOST: usize = 24;

/// Finds out which lanes walk.
pub(super) struct Walks<'a> {
    func: &'a Function,
    loops: &'a Loops,
    has_inner: IdMap<LoopId, bool>,
    /// The block that each value is computed in; none where nobody gathers.
    homes: Option<IdMap<Value, Block>>,
}

impl<'a> Walks<'a> {
    pub(super) fn new(func: &'a Function, loops: &'a Loops) -> Walks<'a> {
        let mut walks = Walks { func, loops, has_inner: loops.have_inner(), homes: None };
        if func.instructions().any(is_far) {
            let homes = walks.homes.insert(IdMap::with_len(func.entry(), func.values.len()));
            for &block in &func.layout {
                let data = &func.blocks[block];
                let results = data.insts.iter().filter_map(|&id| func.insts[id].result);
                data.params.iter().copied().chain(results).for_each(|value| homes[value] = block);
            }
        }
        walks
    }

    /// Whether lanes that an instruction of a block gathers or scatters for walk in the loop around it.
    pub(super) fn are(&self, block: Block, inst: &Inst) -> bool {
        let (Some(homes), Some(id)) = (&self.homes, self.loops.of(block)) else { return false };
        let turns = Turns { func: self.func, loops: self.loops, homes, id };
        let is_private =
            |pointer: Value| matches!(self.func.ty(pointer).kind, Kind::PtrPrivate | Kind::PtrLocal);
        // What is done beside another loop is not what takes the time.
        let is_beside = self.has_inner[id];
        if is_beside || !is_far(inst) || is_private(inst.args[0]) || is_near(self.func, inst) {
            return false;
        }
        let mut budget = MOST;
        let first = turns.change(inst.args[0], &mut budget);
        let step = if matches!(inst.op, Op::GatherAt | Op::ScatterAt) {
            let rest = turns.change(inst.args[1], &mut budget);
            let scale = i64::from(inst.scaled_mem().1);
            first.zip(rest).map(|(first, rest)| first.wrapping_add(rest.wrapping_mul(scale)))
        } else {
            first
        };
        step.is_some_and(|step| step != 0 && step.unsigned_abs() < LINE)
    }
}

/// Whether lanes may be far from each other.
fn is_far(inst: &Inst) -> bool {
    matches!(inst.op, Op::Gather | Op::Scatter | Op::GatherAt | Op::ScatterAt)
}

/// Whether lanes are known to be in few lines.
fn is_near(func: &Function, inst: &Inst) -> bool {
    if !matches!(inst.op, Op::GatherAt | Op::ScatterAt) {
        return false;
    }
    let scale = i64::from(inst.scaled_mem().1);
    let Some(places) = func.def_inst(inst.args[1]).filter(|places| places.op == Op::BuildVector) else {
        return false;
    };
    let bits = func.ty(inst.args[1]).kind.bits();
    let number = |&arg: &Value| func.as_const(arg).map(|number| signed(bits, number));
    let Some(places) = places.args.iter().map(number).collect::<Option<Vec<i64>>>() else { return false };
    places.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]).wrapping_mul(scale).unsigned_abs() < LINE)
}

/// The turns of a loop.
struct Turns<'a> {
    func: &'a Function,
    loops: &'a Loops,
    homes: &'a IdMap<Value, Block>,
    id: LoopId,
}

impl Turns<'_> {
    /// How much more a value is in each turn than in the one before, in all lanes, if that is a constant.
    fn change(&self, value: Value, budget: &mut usize) -> Option<i64> {
        let func = self.func;
        let is_constant = |inst: &Inst| inst.args.is_empty() && inst.op.effect() == Effect::Pure;
        if func.def_inst(value).is_some_and(is_constant) {
            return Some(0);
        }
        *budget = budget.checked_sub(1)?;
        let constant = |value: Value| {
            let bits = func.ty(value).kind.bits();
            func.as_const_of_lanes(value).map(|number| signed(bits, number))
        };
        if !self.loops.contains(self.id, self.homes[value]) {
            return Some(0);
        }
        let inst = match func.values[value].def {
            Def::Param(block, at) => {
                let turned = self.loops.get(self.id);
                let [latch] = turned.latches[..] else { return None };
                if block != turned.header {
                    return None;
                }
                let next = func.terminator(latch).targets.iter().find(|target| target.block == block)?;
                let next = func.def_inst(*next.args.get(at as usize)?)?;
                return match next.op {
                    Op::Iadd | Op::PtrAdd if next.args[0] == value => constant(next.args[1]),
                    Op::Iadd if next.args[1] == value => constant(next.args[0]),
                    _ => None,
                };
            }
            Def::Inst(id) => &func.insts[id],
        };
        match inst.op {
            Op::Iadd | Op::PtrAdd => {
                self.change(inst.args[0], budget)?.checked_add(self.change(inst.args[1], budget)?)
            }
            Op::Isub => self.change(inst.args[0], budget)?.checked_sub(self.change(inst.args[1], budget)?),
            Op::Imul => match constant(inst.args[1]) {
                Some(by) => self.change(inst.args[0], budget)?.checked_mul(by),
                None => self.unchanged(inst, budget),
            },
            Op::Shl => {
                let by = constant(inst.args[1]).filter(|by| (0..16).contains(by))?;
                self.change(inst.args[0], budget)?.checked_mul(1 << by)
            }
            Op::Sext | Op::Zext | Op::Trunc | Op::Splat | Op::Bitcast => self.change(inst.args[0], budget),
            op if op.effect() == Effect::Pure => self.unchanged(inst, budget),
            _ => None,
        }
    }

    /// 0 for what is computed from what no turn changes.
    fn unchanged(&self, inst: &Inst, budget: &mut usize) -> Option<i64> {
        let is_so = inst.args.iter().all(|&arg| self.change(arg, budget) == Some(0));
        is_so.then_some(0)
    }
}
