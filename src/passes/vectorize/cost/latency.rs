//! Lower bound of the time of an iteration: loop-carried dependences, through values or through memory, delay
//! it by their latency.

use smallvec::SmallVec;

use crate::scalar::cost::latency;
use grus_ir::analysis::{Cfg, LoopId, Loops};
use grus_ir::{Block, Effect, Function, Inst, Op, Value};
use grus_support::{FastMap, FastSet, IdMap};

/// Number of machine instructions that a processor looks ahead, approximately.
// Source: clpeak with AVX2, 2026-11-25.
pub(in crate::vectorize) const LOOKAHEAD: u64 = 250;

/// Limit of loop-carried values that are analyzed.
// Arbitrary.
const MAX_CARRIED_VALUES: usize = 8;

/// Limit of stored addresses that are analyzed.
// Arbitrary.
const MAX_STORED_ADDRESSES: usize = 4;

/// Cycles from a store of a float to its load, approximately: processors forward stored values (Fog, The
/// microarchitecture of Intel, AMD and VIA CPUs).
const STORE_FORWARDING_CYCLES: u64 = 8;

/// Returns for each innermost loop the cycles of its longest loop-carried dependence: from a parameter of the
/// header to the argument for the next iteration, or from a load to a store to the same address. For other
/// loops it is 0.
pub(in crate::vectorize) fn recurrences(
    func: &Function,
    cfg: &Cfg,
    loops: &Loops,
    has_halves: bool,
) -> IdMap<LoopId, u64> {
    let has_inner = loops.have_inner();
    let mut blocks: IdMap<LoopId, Vec<Block>> = IdMap::new(Vec::new());
    for &block in cfg.rpo() {
        if let Some(id) = loops.of(block).filter(|&id| !has_inner[id]) {
            blocks[id].push(block);
        }
    }
    let mut longest: IdMap<LoopId, u64> = IdMap::new(0);
    let mut latencies: Latencies = IdMap::with_len(0, func.values.len());
    for id in loops.ids().filter(|&id| !has_inner[id]) {
        let params = func.blocks[loops.get(id).header].params.len();
        let of_values = (0..params.min(MAX_CARRIED_VALUES))
            .map(|at| value_recurrence(func, &blocks[id], at, has_halves, &mut latencies))
            .max();
        let of_memory = memory_recurrence(func, &blocks[id], has_halves, &mut latencies);
        longest[id] = of_values.unwrap_or(0).max(of_memory);
    }
    longest
}

/// Returns the latency of the longest dependence from a parameter of the header to the argument for the next
/// iteration.
fn value_recurrence(
    func: &Function,
    blocks: &[Block],
    at: usize,
    has_halves: bool,
    latencies: &mut Latencies,
) -> u64 {
    let Some(&header) = blocks.first() else { return 0 };
    let reached = propagate(func, blocks, func.blocks[header].params[at], has_halves, latencies);
    let targets = blocks.iter().flat_map(|&block| &func.terminator(block).targets);
    let next = targets.filter(|target| target.block == header).map(|target| latencies[target.args[at]]);
    let longest = next.max().unwrap_or(0);
    clear(reached, latencies);
    longest.saturating_sub(1)
}

/// Returns the latency of the longest dependence from a load to a store to the same loop-invariant address.
fn memory_recurrence(func: &Function, blocks: &[Block], has_halves: bool, latencies: &mut Latencies) -> u64 {
    let insts = || insts_of(func, blocks);
    let stores: Vec<(AccessAddress, Value)> =
        insts().filter_map(stored_address).take(MAX_STORED_ADDRESSES).collect();
    if stores.is_empty() {
        return 0;
    }
    let mut variant = FastSet::default();
    variant.extend(blocks.iter().flat_map(|&block| &func.blocks[block].params).copied());
    for inst in insts() {
        if inst.op.effect() != Effect::Pure || inst.args.iter().any(|arg| variant.contains(arg)) {
            variant.extend(inst.result);
        }
    }
    let mut longest = 0;
    for (address, value) in
        stores.iter().filter(|(address, _)| !address.iter().any(|part| variant.contains(part)))
    {
        for loaded_address in insts()
            .filter_map(loaded_address)
            .filter(|(from, _)| from == address)
            .map(|(_, loaded_address)| loaded_address)
        {
            let reached = propagate(func, blocks, loaded_address, has_halves, latencies);
            if latencies[*value] > 0 {
                longest = longest.max(latencies[*value] - 1 + STORE_FORWARDING_CYCLES);
            }
            clear(reached, latencies);
        }
    }
    longest
}

/// Operands that form the address of an access.
type AccessAddress = SmallVec<[Value; 2]>;

/// Returns the address and the value that an instruction stores.
fn stored_address(inst: &Inst) -> Option<(AccessAddress, Value)> {
    let operands = match inst.op {
        Op::Store | Op::MaskedStore | Op::Scatter => 1,
        Op::ScatterAt => 2,
        _ => return None,
    };
    Some((inst.args[..operands].into(), inst.args[operands]))
}

/// Returns the address from which an instruction loads, and its result.
fn loaded_address(inst: &Inst) -> Option<(AccessAddress, Value)> {
    let operands = match inst.op {
        Op::Load | Op::MaskedLoad | Op::Gather => 1,
        Op::GatherAt => 2,
        _ => return None,
    };
    Some((inst.args[..operands].into(), inst.result?))
}

fn insts_of<'a>(func: &'a Function, blocks: &'a [Block]) -> impl Iterator<Item = &'a Inst> {
    blocks.iter().flat_map(|&block| &func.blocks[block].insts).map(|&id| &func.insts[id])
}

/// Cycles from the start of a dependence to each value that depends on it in the same iteration, plus 1; 0 for
/// others.
type Latencies = IdMap<Value, u64>;

/// Computes the latencies of all values that depend on `from` in these blocks, of which the first is the loop
/// header. Returns these values.
fn propagate(
    func: &Function,
    blocks: &[Block],
    from: Value,
    has_halves: bool,
    latencies: &mut Latencies,
) -> SmallVec<[Value; 16]> {
    let mut reached = SmallVec::from_slice(&[from]);
    latencies[from] = 1;
    for inst in insts_of(func, blocks) {
        let before = inst.args.iter().map(|&arg| latencies[arg]).max().unwrap_or(0);
        if let Some(result) = inst.result.filter(|_| before > 0) {
            latencies[result] = before + latency(func, inst, has_halves);
            reached.push(result);
        }
        for target in inst.targets.iter().filter(|target| target.block != blocks[0]) {
            for (&arg, &param) in target.args.iter().zip(&func.blocks[target.block].params) {
                if latencies[arg] > latencies[param] {
                    latencies[param] = latencies[arg];
                    reached.push(param);
                }
            }
        }
    }
    reached
}

fn clear(reached: SmallVec<[Value; 16]>, latencies: &mut Latencies) {
    reached.into_iter().for_each(|value| latencies[value] = 0);
}

/// Returns the latency of the critical path of a block. It is a stall if the block is longer than
/// [`LOOKAHEAD`]: the processor does not start later instructions meanwhile.
pub(in crate::vectorize) fn critical_path(func: &Function, block: Block, has_halves: bool) -> u64 {
    let insts = &func.blocks[block].insts;
    let mut done: FastMap<Value, u64> = FastMap::default();
    let mut longest = 0;
    for inst in insts.iter().map(|&id| &func.insts[id]) {
        let operands_ready = inst.args.iter().filter_map(|arg| done.get(arg)).max().copied().unwrap_or(0);
        if let Some(result) = inst.result {
            let end = operands_ready + latency(func, inst, has_halves);
            done.insert(result, end);
            longest = longest.max(end);
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::analysis::Analyses;

    /// Returns the recurrence of a loop over a float and a counter, with these arguments for the next
    /// iteration.
    fn longest(body: &str, next: &str) -> u64 {
        let text = format!(
            "func f0 \"k\" void kernel {{\nb0(v0: ptr.global, v1: f32, v2: i32):\n jump -> b1(v1, v2)\nb1(v3: f32, v4: i32):\n v5 = iconst.i32 0x1\n{body} v20 = icmp.i1 slt v4, v2\n brif v20 -> b1({next}), b2\nb2():\n ret\n}}\n"
        );
        let module = grus_ir::parse_module(&text).expect("it is IR");
        let func = &module.funcs[grus_ir::FuncId(0)];
        let mut analyses = Analyses::default();
        let (cfg, loops) = (analyses.cfg(func), analyses.loops(func));
        let id = loops.ids().next().expect("there is a loop");
        recurrences(func, &cfg, &loops, false)[id]
    }

    #[test]
    fn products_and_sums_in_a_row_follow_each_other() {
        let body = " v6 = fma.f32 v3, v1, v1\n v7 = fma.f32 v6, v1, v1\n v8 = iadd.i32 v4, v5\n";
        assert_eq!(longest(body, "v7, v8"), 8);
    }

    #[test]
    fn blocks_take_their_longest_way() {
        let chain: String = (2..12)
            .map(|i| format!(" v{i} = fma.f32 v{}, v1, v1\n", if i == 2 { 1 } else { i - 1 }))
            .collect();
        let text = format!("func f0 \"k\" void kernel {{\nb0(v0: ptr.global, v1: f32):\n{chain} ret\n}}\n");
        let module = grus_ir::parse_module(&text).expect("it is IR");
        assert_eq!(critical_path(&module.funcs[grus_ir::FuncId(0)], Block(0), false), 40);
    }

    #[test]
    fn what_is_stored_is_waited_for_where_it_is_loaded_again() {
        let sum = " v6 = load.f32 align 4 v0\n v7 = fadd.f32 v6, v1\n store align 4 v0, v7\n v8 = iadd.i32 v4, v5\n";
        assert_eq!(longest(sum, "v3, v8"), 4 + STORE_FORWARDING_CYCLES);
        let elsewhere = " v9 = sext.i64 v4\n v10 = ptradd.ptr.global v0, v9\n v6 = load.f32 align 4 v0\n v7 = fadd.f32 v6, v1\n store align 4 v10, v7\n v8 = iadd.i32 v4, v5\n";
        assert_eq!(longest(elsewhere, "v3, v8"), 1);
    }

    #[test]
    fn what_follows_from_the_counter_alone_is_no_way_around() {
        let body = " v6 = iadd.i32 v4, v5\n v7 = sitofp.f32 v6\n v8 = fdiv.f32 v7, v1\n";
        assert_eq!(longest(body, "v8, v6"), 1);
    }
}
