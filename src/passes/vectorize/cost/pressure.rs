//! Cost of register pressure: spills and reloads where more vectors are live than there are registers.

use grus_ir::analysis::{Cfg, Liveness};
use grus_ir::{Block, Function, Inst, Kind, Op, Type, Value};
use grus_support::target::Backend;
use grus_support::{FastMap, FastSet, IdMap};

/// Returns the number of vector registers.
fn registers(backend: Backend) -> u32 {
    if backend.has_masks() { 32 } else { 16 }
}

/// Returns the number of spill instructions, weighted by the frequency of each block.
pub(in crate::vectorize) fn spills(
    func: &Function,
    cfg: &Cfg,
    backend: Backend,
    frequency: impl Fn(Block) -> u64,
) -> u64 {
    let used_registers = sizes(func, backend);
    let liveness = Liveness::of(func, cfg, |value| used_registers[value] > 0);
    let mut total = 0;
    // Block in which a value was last seen to be live, in a backward walk.
    let mut last_live_in: IdMap<Value, Option<Block>> = IdMap::with_len(None, func.values.len());
    for &block in cfg.rpo() {
        let mut used = 0;
        let enter = |last_live_in: &mut IdMap<Value, Option<Block>>, value: Value| {
            let size = used_registers[value];
            if size > 0 && last_live_in[value].replace(block) != Some(block) { size } else { 0 }
        };
        for &next in cfg.succs(block) {
            for value in liveness.alive(next) {
                used += enter(&mut last_live_in, value);
            }
        }
        let mut cost = 0;
        for &id in func.blocks[block].insts.iter().rev() {
            let inst = &func.insts[id];
            let defined = inst.result.map_or(0, |result| used_registers[result]);
            // Values that return to their registers around a loop need a free register for the moves; `fma`
            // computes in place.
            let is_moved = frequency(block) > 1 && inst.op != Op::Fma;
            let available = registers(backend) - u32::from(is_moved);
            let within = used + temporaries(inst, backend, defined);
            if defined > 0 && within > available {
                cost += 2 * u64::from(defined.min(within - available));
            }
            if inst.result.is_some_and(|result| last_live_in[result].take() == Some(block)) {
                used -= defined;
            }
            for value in inst.uses() {
                used += enter(&mut last_live_in, value);
            }
        }
        total += cost * frequency(block);
    }
    total
}

/// Returns the number of reloads, and of spills of values defined in the block, if the value with the furthest
/// next use is spilled (Belady, A Study of Replacement Algorithms, 1966), weighted by the frequency of each
/// block.
pub(in crate::vectorize) fn reloads(
    func: &Function,
    cfg: &Cfg,
    backend: Backend,
    frequency: impl Fn(Block) -> u64,
) -> u64 {
    let sizes = sizes(func, backend);
    let liveness = Liveness::of(func, cfg, |value| sizes[value] > 0);
    let mut total = 0;
    for &block in cfg.rpo() {
        let insts = &func.blocks[block].insts;
        // Positions of uses of each value, the last one first.
        let mut uses: FastMap<Value, Vec<usize>> = FastMap::default();
        for &next in cfg.succs(block) {
            liveness.alive(next).for_each(|value| uses.entry(value).or_default().push(insts.len()));
        }
        for (at, &id) in insts.iter().enumerate().rev() {
            let used = func.insts[id].uses().filter(|&value| sizes[value] > 0);
            used.for_each(|value| uses.entry(value).or_default().push(at));
        }
        let next_use = |uses: &FastMap<Value, Vec<usize>>, value: Value| uses.get(&value)?.last().copied();
        // Live-in values are kept in registers by the order of their first use.
        let mut in_registers: Vec<Value> =
            liveness.alive(block).chain(func.blocks[block].params.iter().copied()).collect();
        in_registers.retain(|&value| sizes[value] > 0 && next_use(&uses, value).is_some());
        in_registers.sort_by_key(|&value| next_use(&uses, value));
        let available = registers(backend) - u32::from(frequency(block) > 1);
        let mut used_registers = 0;
        in_registers.retain(|&value| {
            used_registers += sizes[value];
            used_registers <= available
        });
        let mut used_registers: u32 = in_registers.iter().map(|&value| sizes[value]).sum();
        let mut is_spillable: FastSet<Value> = FastSet::default();
        let mut cost = 0;
        for (at, &id) in insts.iter().enumerate() {
            let inst = &func.insts[id];
            let temporaries = inst.result.map_or(0, |result| temporaries(inst, backend, sizes[result]));
            for value in inst.uses().filter(|&value| sizes[value] > 0) {
                if let Some(positions) = uses.get_mut(&value) {
                    while positions.last().is_some_and(|&position| position <= at) {
                        positions.pop();
                    }
                }
                if !in_registers.contains(&value) {
                    cost += u64::from(sizes[value]);
                    used_registers += sizes[value];
                    in_registers.push(value);
                }
            }
            if let Some(result) = inst.result.filter(|&result| sizes[result] > 0) {
                used_registers += sizes[result];
                in_registers.push(result);
                is_spillable.insert(result);
            }
            // Values without further uses free their registers, then the one with the furthest next use does.
            in_registers.retain(|&value| {
                let is_needed = next_use(&uses, value).is_some();
                used_registers -= if is_needed { 0 } else { sizes[value] };
                is_needed
            });
            while used_registers + temporaries > available {
                let Some(last) = (0..in_registers.len()).max_by_key(|&i| next_use(&uses, in_registers[i]))
                else {
                    break;
                };
                let value = in_registers.swap_remove(last);
                used_registers -= sizes[value];
                cost += if is_spillable.remove(&value) { sizes[value].into() } else { 0 };
            }
        }
        total += cost * frequency(block);
    }
    total
}

/// Returns the number of registers that an operation needs besides those of its operands and its result, which has `size`
/// registers: `codegen::legalize` writes it with several others, each for all registers.
fn temporaries(inst: &Inst, backend: Backend, size: u32) -> u32 {
    match (inst.op, inst.ty.kind) {
        (Op::SaddSat | Op::SsubSat, Kind::I32 | Kind::I64) => 2 * size,
        (Op::UaddSat | Op::UsubSat, Kind::I64) if !backend.has_masks() => size,
        _ => 0,
    }
}

/// Returns the number of registers of each value. Constants are operands, masks have registers of their own.
fn sizes(func: &Function, backend: Backend) -> IdMap<Value, u32> {
    let mut sizes = IdMap::with_len(0, func.values.len());
    let size = |ty: Type| {
        let is_mask = ty.kind == Kind::I1 && backend.has_masks();
        if ty.is_vector() && !is_mask { ty.bits().div_ceil(backend.register() * 8) } else { 0 }
    };
    for &block in &func.layout {
        for &param in &func.blocks[block].params {
            sizes[param] = size(func.ty(param));
        }
    }
    let is_constant = |inst: &Inst| match inst.op {
        Op::Splat | Op::BuildVector => inst.args.iter().all(|&arg| func.as_const(arg).is_some()),
        _ => false,
    };
    for inst in func.instructions().filter(|inst| !is_constant(inst)) {
        if let Some(result) = inst.result {
            sizes[result] = size(inst.ty);
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the spills of a loop over this many AVX2 registers, each of which gets another value in each
    /// iteration.
    fn spilled(count: usize, op: impl Fn(usize) -> String) -> u64 {
        let list = |first: usize, ty: &str| {
            (first..first + count).map(|i| format!("v{i}{ty}")).collect::<Vec<_>>().join(", ")
        };
        let (ty, old, new) = (": f32x8", 2, 2 + count);
        let body: String = (0..count).map(|i| format!(" v{} = {}\n", new + i, op(old + i))).collect();
        let (is_on, first) = (new + count, new + count + 1);
        let text = format!(
            "func f0 \"k\" void kernel {{\nb0(v0: ptr.global, v1: i1):\n v{first} = fconst.f32 0x0\n v{0} = splat.f32x8 v{first}\n jump -> b1({1})\nb1({2}):\n{body} v{is_on} = icmp.i1 ne v1, v1\n brif v{is_on} -> b1({3}), b2\nb2():\n ret\n}}\n",
            first + 1,
            vec![format!("v{}", first + 1); count].join(", "),
            list(old, ty),
            list(new, ""),
        );
        let module = grus_ir::parse_module(&text).expect("it is IR");
        let func = &module.funcs[grus_ir::FuncId(0)];
        spills(func, &Cfg::new(func), Backend::Avx2, |block| if block == Block(1) { 8 } else { 1 })
    }

    #[test]
    fn loops_have_a_register_less_but_for_what_stays_in_place() {
        let sum = |old: usize| format!("fadd.f32x8 v{old}, v{old}");
        let product = |old: usize| format!("fma.f32x8 v{old}, v{old}, v{old}");
        assert_eq!(spilled(15, sum), 0);
        assert!(spilled(16, sum) > 0);
        assert_eq!(spilled(16, product), 0);
        assert!(spilled(17, product) > 0);
    }
}
