//! How long a turn of a loop takes at least, whatever else the machine does meanwhile: what a turn computes from results of
//! the turn before has to wait for them.

use crate::ir::analysis::{Cfg, LoopId, Loops};
use crate::ir::{Block, Function, Value};
use crate::passes::scalar::cost::latency;
use crate::support::{FastMap, IdMap};

/// Machine instructions that a processor looks ahead, about.
pub(super) const AHEAD: u64 = 250;

/// Parameters of a loop's header that are looked at.
const MOST: usize = 8;

/// For each loop that holds no others, the cycles of the longest way from a parameter of its header to what the next turn is
/// given for it; 0 for the others.
pub(super) fn recurrences(func: &Function, cfg: &Cfg, loops: &Loops, has_halves: bool) -> IdMap<LoopId, u64> {
    let has_inner = loops.have_inner();
    let mut blocks: IdMap<LoopId, Vec<Block>> = IdMap::new(Vec::new());
    for &block in cfg.rpo() {
        if let Some(id) = loops.of(block).filter(|&id| !has_inner[id]) {
            blocks[id].push(block);
        }
    }
    let mut longest: IdMap<LoopId, u64> = IdMap::new(0);
    let mut since: IdMap<Value, u64> = IdMap::with_len(0, func.values.len());
    for id in loops.ids().filter(|&id| !has_inner[id]) {
        let params = func.blocks[loops.get(id).header].params.len();
        longest[id] = (0..params.min(MOST))
            .map(|at| way(func, &blocks[id], at, has_halves, &mut since))
            .max()
            .unwrap_or(0);
    }
    longest
}

/// The longest way from a parameter of the first of these blocks, which are a loop's, to what replaces it. In `since` are the
/// cycles after it and one more for values that follow from it; nothing before and afterwards.
fn way(func: &Function, blocks: &[Block], at: usize, has_halves: bool, since: &mut IdMap<Value, u64>) -> u64 {
    let Some((&header, _)) = blocks.split_first() else { return 0 };
    let mut longest = 0;
    let mut reached = vec![func.blocks[header].params[at]];
    since[reached[0]] = 1;
    for inst in blocks.iter().flat_map(|&block| &func.blocks[block].insts).map(|&id| &func.insts[id]) {
        let before = inst.args.iter().map(|&arg| since[arg]).max().unwrap_or(0);
        if let Some(result) = inst.result.filter(|_| before > 0) {
            since[result] = before + latency(func, inst, has_halves);
            reached.push(result);
        }
        for target in &inst.targets {
            if target.block == header {
                longest = longest.max(since[target.args[at]].saturating_sub(1));
                continue;
            }
            for (&arg, &param) in target.args.iter().zip(&func.blocks[target.block].params) {
                if since[arg] > since[param] {
                    since[param] = since[arg];
                    reached.push(param);
                }
            }
        }
    }
    reached.into_iter().for_each(|value| since[value] = 0);
    longest
}

/// The cycles of the longest way through a block. It is waited for where the block is longer than [`AHEAD`]: the processor does
/// not begin what comes after it meanwhile.
pub(super) fn way_through(func: &Function, block: Block, has_halves: bool) -> u64 {
    let insts = &func.blocks[block].insts;
    let mut done: FastMap<Value, u64> = FastMap::default();
    let mut longest = 0;
    for inst in insts.iter().map(|&id| &func.insts[id]) {
        let begun = inst.args.iter().filter_map(|arg| done.get(arg)).max().copied().unwrap_or(0);
        if let Some(result) = inst.result {
            let end = begun + latency(func, inst, has_halves);
            done.insert(result, end);
            longest = longest.max(end);
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::analysis::Analyses;

    /// Of a loop over a float and a counter that goes on with these.
    fn longest(body: &str, next: &str) -> u64 {
        let text = format!(
            "func f0 \"k\" void kernel {{\nb0(v0: ptr.global, v1: f32, v2: i32):\n jump -> b1(v1, v2)\nb1(v3: f32, v4: i32):\n v5 = iconst.i32 0x1\n{body} v20 = icmp.i1 slt v4, v2\n brif v20 -> b1({next}), b2\nb2():\n ret\n}}\n"
        );
        let module = crate::ir::parse_module(&text).expect("it is IR");
        let func = &module.funcs[crate::ir::FuncId(0)];
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
        let module = crate::ir::parse_module(&text).expect("it is IR");
        assert_eq!(way_through(&module.funcs[crate::ir::FuncId(0)], Block(0), false), 40);
    }

    #[test]
    fn what_follows_from_the_counter_alone_is_no_way_around() {
        let body = " v6 = iadd.i32 v4, v5\n v7 = sitofp.f32 v6\n v8 = fdiv.f32 v7, v1\n";
        assert_eq!(longest(body, "v8, v6"), 1);
    }
}
