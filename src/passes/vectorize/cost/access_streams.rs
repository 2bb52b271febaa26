//! Detects lanes that access separate streams: in a loop each lane walks through memory of its own, and the
//! lanes are far apart. A scalar body has one such stream at a time, which the processor prefetches. It does
//! not follow as many streams as there are lanes, and if rows are a power of two apart, their lines evict each
//! other from the first-level cache.

use crate::alias::change;
use crate::loop_variant::LoopVariant;
use grus_ir::analysis::{LoopId, Loops};
use grus_ir::interp::signed;
use grus_ir::{Block, Def, Function, Inst, Kind, Op, Value};
use grus_support::FastMap;

/// Bytes of a cache line: an access with a larger step per iteration is no stream.
const LINE_BYTES: u64 = 64;

/// Limits of instructions of an address, and of a loop-invariant part of one, in which the offsets of lanes are
/// as many constants.
// Arbitrary.
const MAX_ADDRESS_INSTS: usize = 24;
const MAX_INVARIANT_INSTS: usize = 96;

/// Detector of streams.
pub(in crate::vectorize) struct StreamDetector<'a> {
    func: &'a Function,
    loops: &'a Loops,
    /// Loop variants of the innermost loops, which take most of the time; empty if there is no gather or
    /// scatter.
    variants: FastMap<LoopId, LoopVariant>,
}

impl<'a> StreamDetector<'a> {
    pub(in crate::vectorize) fn new(func: &'a Function, loops: &'a Loops) -> StreamDetector<'a> {
        let mut variants = FastMap::default();
        if func.instructions().any(may_be_far) {
            let has_inner = loops.have_inner();
            let mut blocks: FastMap<LoopId, Vec<Block>> = FastMap::default();
            for &block in &func.layout {
                if let Some(id) = loops.of(block).filter(|&id| !has_inner[id]) {
                    blocks.entry(id).or_default().push(block);
                }
            }
            variants = blocks.into_iter().map(|(id, blocks)| (id, LoopVariant::of(func, &blocks))).collect();
        }
        StreamDetector { func, loops, variants }
    }

    /// Checks whether a gather or scatter accesses one stream per lane in the innermost loop around a block.
    pub(in crate::vectorize) fn accesses_streams(&self, block: Block, inst: &Inst) -> bool {
        let Some(id) = self.loops.of(block).filter(|id| self.variants.contains_key(id)) else { return false };
        let is_private =
            |pointer: Value| matches!(self.func.ty(pointer).kind, Kind::PtrPrivate | Kind::PtrLocal);
        if !may_be_far(inst) || is_private(inst.args[0]) || is_near(self.func, inst) {
            return false;
        }
        let first = self.step_per_iteration(id, inst.args[0]);
        let step_per_iteration = if matches!(inst.op, Op::GatherAt | Op::ScatterAt) {
            let rest = self.step_per_iteration(id, inst.args[1]);
            let scale = i64::from(inst.scaled_mem().1);
            first.zip(rest).map(|(first, rest)| first.wrapping_add(rest.wrapping_mul(scale)))
        } else {
            first
        };
        step_per_iteration.is_some_and(|step_per_iteration| {
            step_per_iteration != 0 && step_per_iteration.unsigned_abs() < LINE_BYTES
        })
    }

    /// Returns the constant by which a value grows in each iteration, if it is the same in all lanes.
    fn step_per_iteration(&self, id: LoopId, value: Value) -> Option<i64> {
        let (func, variants) = (self.func, &self.variants[&id]);
        let known = |value: Value| {
            if variants.is_invariant(func, value, &mut { MAX_INVARIANT_INSTS }) {
                return Some(0);
            }
            let Def::Param(block, at) = func.values[value].def else { return None };
            let around = self.loops.get(id);
            let [latch] = around.latches[..] else { return None };
            let is_header = block == around.header;
            let mut targets = func.terminator(latch).targets.iter().filter(|_| is_header);
            let next = targets.find(|target| target.block == block)?.args[at as usize];
            let next = func.def_inst(next).filter(|next| matches!(next.op, Op::Iadd | Op::PtrAdd))?;
            let by = match next.args[..] {
                [from, by] if from == value => by,
                [by, from] if from == value => by,
                _ => return None,
            };
            Some(signed(func.ty(by).kind.bits(), func.as_const_of_lanes(by)?))
        };
        change(func, value, &known, &mut { MAX_ADDRESS_INSTS })
    }
}

/// Checks whether lanes may be far apart.
fn may_be_far(inst: &Inst) -> bool {
    matches!(inst.op, Op::Gather | Op::Scatter | Op::GatherAt | Op::ScatterAt)
}

/// Checks whether lanes are known to be in few cache lines.
fn is_near(func: &Function, inst: &Inst) -> bool {
    if !matches!(inst.op, Op::GatherAt | Op::ScatterAt) {
        return false;
    }
    let scale = i64::from(inst.scaled_mem().1);
    let Some(indices) = func.def_inst(inst.args[1]).filter(|indices| indices.op == Op::BuildVector) else {
        return false;
    };
    let bits = func.ty(inst.args[1]).kind.bits();
    let number = |&arg: &Value| func.as_const(arg).map(|number| signed(bits, number));
    let Some(indices) = indices.args.iter().map(number).collect::<Option<Vec<i64>>>() else { return false };
    indices
        .windows(2)
        .all(|pair| pair[1].wrapping_sub(pair[0]).wrapping_mul(scale).unsigned_abs() < LINE_BYTES)
}
