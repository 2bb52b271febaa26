//! Narrows block parameters of 64 bits whose upper halves are not used. LLVM widens `int i; for (...; i += step)` to 64
//! bits and truncates `i` where it is used; divergence analysis recognizes the counter as affine only in 32 bits.
//!
//! Parameters and operations whose low result bits depend only on the low bits of their operands form a *web* of values
//! that flow into each other. Members are values of 64 bits of which every use is a truncation, or an operand of another
//! member. What a member uses from outside is truncated there.

use super::replace::Replacements;
use grus_ir::{Attr, Block, Builder, Function, Inst, Kind, Op, Type, Value};
use grus_support::{FastMap, IdMap};

/// Runs on a function. Returns `true` if something changed.
pub(super) fn run(func: &mut Function) -> bool {
    let has_params =
        |block: &Block| func.blocks[*block].params.iter().any(|&param| func.ty(param) == Type::I64);
    if !func.layout.iter().skip(1).any(has_params) {
        return false;
    }
    let mut web = Web::of(func);
    web.shrink();
    web.keep_around_params(func);
    if web.is_empty() {
        return false;
    }
    narrow(func, &web.is_member);
    true
}

/// Values of 64 bits whose upper halves may be unused.
struct Web {
    is_member: IdMap<Value, bool>,
    /// Pairs of a value and a member that it is an operand of.
    flows: Vec<(Value, Value)>,
}

impl Web {
    /// Collects candidates, without those that have a use of their own kind.
    fn of(func: &Function) -> Web {
        let mut is_member = IdMap::with_len(false, func.values.len());
        for &block in func.layout.iter().skip(1) {
            for &param in &func.blocks[block].params {
                is_member[param] = func.ty(param) == Type::I64;
            }
        }
        for inst in func.instructions() {
            if let Some(result) = inst.result.filter(|_| inst.ty == Type::I64 && operands(func, inst) > 0) {
                is_member[result] = true;
            }
        }
        let mut flows = Vec::new();
        for inst in func.instructions() {
            let inside = inst.result.filter(|&result| is_member[result]);
            let count = inside.map_or(0, |_| operands(func, inst));
            for (at, &arg) in inst.args.iter().enumerate() {
                match inside {
                    Some(result) if at < count => flows.push((arg, result)),
                    _ if inst.op == Op::Trunc => {}
                    _ => is_member[arg] = false,
                }
            }
            for target in &inst.targets {
                let params = &func.blocks[target.block].params;
                flows.extend(target.args.iter().copied().zip(params.iter().copied()));
            }
        }
        Web { is_member, flows }
    }

    /// Removes values that flow into others than members, until there are none.
    fn shrink(&mut self) {
        let mut sources: FastMap<Value, Vec<Value>> = FastMap::default();
        for &(from, to) in &self.flows {
            sources.entry(to).or_default().push(from);
        }
        let mut waiting: Vec<Value> =
            self.flows.iter().map(|&(_, to)| to).filter(|&to| !self.is_member[to]).collect();
        while let Some(to) = waiting.pop() {
            for from in sources.remove(&to).unwrap_or_default() {
                if std::mem::replace(&mut self.is_member[from], false) {
                    waiting.push(from);
                }
            }
        }
    }

    /// Removes members that are not connected with a parameter that is one.
    fn keep_around_params(&mut self, func: &Function) {
        let mut neighbors: FastMap<Value, Vec<Value>> = FastMap::default();
        for &(from, to) in self.flows.iter().filter(|(from, to)| self.is_member[*from] && self.is_member[*to])
        {
            neighbors.entry(from).or_default().push(to);
            neighbors.entry(to).or_default().push(from);
        }
        let mut is_kept = IdMap::with_len(false, func.values.len());
        let params = func.layout.iter().flat_map(|&block| &func.blocks[block].params).copied();
        let mut waiting: Vec<Value> = params.filter(|&param| self.is_member[param]).collect();
        while let Some(value) = waiting.pop() {
            if !std::mem::replace(&mut is_kept[value], true) {
                waiting.extend(neighbors.remove(&value).unwrap_or_default());
            }
        }
        self.is_member = is_kept;
    }

    fn is_empty(&self) -> bool {
        !self.flows.iter().any(|&(from, to)| self.is_member[from] || self.is_member[to])
    }
}

/// Returns the number of leading operands whose low bits determine those of the result; 0 for other operations.
fn operands(func: &Function, inst: &Inst) -> usize {
    match inst.op {
        Op::Iadd | Op::Isub | Op::Imul | Op::And | Op::Or | Op::Xor => 2,
        Op::Shl if func.as_const(inst.args[1]).is_some_and(|count| count < 32) => 1,
        _ => 0,
    }
}

/// Makes all members values of 32 bits.
fn narrow(func: &mut Function, is_member: &IdMap<Value, bool>) {
    let mut replaced = Replacements::new(func);
    for block in func.layout.clone() {
        for param in func.blocks[block].params.clone() {
            if is_member[param] {
                func.values[param].ty = Type::I32;
            }
        }
        for id in std::mem::take(&mut func.blocks[block].insts) {
            let inst = func.insts[id].clone();
            if let Some(result) = inst.result.filter(|&result| is_member[result]) {
                let args: Vec<Value> =
                    inst.args.iter().map(|&arg| low(func, block, is_member, arg)).collect();
                let inst = &mut func.insts[id];
                (inst.ty, inst.attr, inst.args) = (Type::I32, Attr::None, args.as_slice().into());
                func.values[result].ty = Type::I32;
            } else if inst.op == Op::Trunc && inst.ty == Type::I32 && is_member[inst.args[0]] {
                replaced.set(inst.result.expect("truncations have a result"), inst.args[0]);
                continue;
            }
            for (index, target) in inst.targets.iter().enumerate() {
                for (at, &arg) in target.args.iter().enumerate() {
                    if is_member[func.blocks[target.block].params[at]] {
                        let arg = low(func, block, is_member, arg);
                        func.insts[id].targets[index].args[at] = arg;
                    }
                }
            }
            func.blocks[block].insts.push(id);
        }
    }
    replaced.apply(func);
}

/// Returns the low half of a value, at the end of a block that is being written.
fn low(func: &mut Function, block: Block, is_member: &IdMap<Value, bool>, value: Value) -> Value {
    if is_member[value] || func.ty(value).kind == Kind::I32 {
        return value;
    }
    let constant = func.as_const(value);
    let mut b = Builder::new(func, block);
    match constant {
        Some(bits) => b.iconst(Type::I32, bits),
        None => b.convert(Op::Trunc, Type::I32, value),
    }
}
