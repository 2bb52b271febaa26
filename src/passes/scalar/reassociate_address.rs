//! Reassociates address computations so that they share subexpressions: the summands that change least come first,
//! the constant comes last.
//!
//! `base + 4 * sext(row * width + (x + 3))` becomes `((base + 4 * sext(row * width)) + 4 * x) + 12`: in a loop over
//! `x` the inner sum is loop-invariant, adjacent accesses differ only in the constant, and the constant and the
//! scale are part of the machine's addressing mode. The rank of a summand is the depth of the innermost loop in
//! which it changes (Briggs, Cooper: Effective Partial Redundancy Elimination, PLDI 1994, section 3). Sums of 32
//! bits are decomposed if they cannot wrap.

use smallvec::SmallVec;

use super::super::pass_manager::PassContext;
use super::replace::rewrite;
use grus_ir::analysis::{Cfg, Loops};
use grus_ir::interp::signed;
use grus_ir::{Attr, Block, Builder, Effect, Function, Inst, Kind, Op, Type, Value};
use grus_support::IdMap;

/// Maximum number of summands of an address; larger sums are kept.
// Arbitrary.
const MAX_TERMS: usize = 8;

/// Maximum number of instructions of a sum that are looked through.
// Arbitrary.
const MAX_STEPS: u32 = 32;

/// Runs the pass.
pub fn run(func: &mut Function, context: &mut PassContext<'_>) -> bool {
    let (cfg, loops) = (context.analyses.cfg(func), context.analyses.loops(func));
    let ranks = ranks(func, &cfg, &loops);
    let is_address =
        |inst: &Inst| inst.op == Op::PtrAdd && inst.ty.lanes == 1 && inst.ty.kind != Kind::PtrPrivate;
    rewrite(func, is_address, |func, block, inst| {
        let sum = Sum::of(func, inst)?;
        Some(sum.write(func, block, inst, &ranks))
    })
}

/// Returns for each value the depth of the innermost loop in which it changes.
pub(super) fn ranks(func: &Function, cfg: &Cfg, loops: &Loops) -> IdMap<Value, u32> {
    let mut ranks = IdMap::with_len(0, func.values.len());
    for &block in cfg.rpo() {
        let depth = loops.depth(block);
        for &param in &func.blocks[block].params {
            ranks[param] = depth;
        }
        for &id in &func.blocks[block].insts {
            let inst = &func.insts[id];
            let Some(result) = inst.result else { continue };
            ranks[result] = match inst.op.effect() {
                Effect::Pure => inst.args.iter().map(|&arg| ranks[arg]).max().unwrap_or(0).min(depth),
                _ => depth,
            };
        }
    }
    ranks
}

/// Value times a constant.
#[derive(Clone, Copy)]
struct Term {
    value: Value,
    /// Extension, `Sext` or `Zext`, if the value has 32 bits.
    extension: Option<Op>,
    factor: i64,
}

/// Pointer plus a sum of terms and a constant.
struct Sum {
    base: Value,
    terms: SmallVec<[Term; MAX_TERMS]>,
    constant: i64,
    /// Number of instructions that may still be looked through.
    steps: u32,
}

impl Sum {
    /// Returns the sum of an address, or `None` if there is nothing to reorder.
    fn of(func: &Function, inst: &Inst) -> Option<Sum> {
        let mut sum = Sum { base: inst.args[0], terms: SmallVec::new(), constant: 0, steps: MAX_STEPS };
        sum.add(func, inst.args[1], None, 1)?;
        while let Some(inner) = func.def_inst(sum.base).filter(|def| def.op == Op::PtrAdd) {
            sum.base = inner.args[0];
            sum.add(func, inner.args[1], None, 1)?;
        }
        let is_one = sum.terms.len() + usize::from(sum.constant != 0) < 2;
        (!is_one || sum.base != inst.args[0]).then_some(sum)
    }

    /// Adds a value times a factor; a value of 32 bits is extended. Returns `None` if the sum becomes too long.
    fn add(&mut self, func: &Function, value: Value, extension: Option<Op>, factor: i64) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        let Some(def) = func.def_inst(value) else { return self.term(value, extension, factor) };
        // A sum that may wrap differs from the sum of its extended operands.
        let may_decompose = |def: &Inst, extension: Option<Op>| {
            extension.is_none_or(|extension| def.no_wrap().allows(extension))
        };
        let is_sum = may_decompose(def, extension);
        let number = |bits: u64| {
            if extension == Some(Op::Zext) { bits as i64 } else { signed(def.ty.kind.bits(), bits) }
        };
        let constant = |at: usize| Some(number(func.as_const(*def.args.get(at)?)?));
        match def.op {
            Op::Iconst => {
                self.constant = self.constant.wrapping_add(factor.wrapping_mul(number(def.int())));
                Some(())
            }
            Op::Iadd | Op::Isub if is_sum => {
                let second = if def.op == Op::Iadd { factor } else { factor.wrapping_neg() };
                self.add(func, def.args[0], extension, factor)?;
                self.add(func, def.args[1], extension, second)
            }
            Op::Imul if is_sum && let Some(by) = constant(1) => {
                self.add(func, def.args[0], extension, factor.wrapping_mul(by))
            }
            Op::Shl
                if is_sum
                    && let Some(by) = constant(1)
                    && (0..i64::from(def.ty.kind.bits())).contains(&by) =>
            {
                self.add(func, def.args[0], extension, factor.wrapping_shl(by as u32))
            }
            Op::Sext if extension.is_none() && func.ty(def.args[0]) == Type::I32 => {
                self.add(func, def.args[0], Some(Op::Sext), factor)
            }
            // Other zero-extended values stay terms, which saves extending them again.
            Op::Zext
                if extension.is_none()
                    && func.ty(def.args[0]) == Type::I32
                    && func.def_inst(def.args[0]).is_some_and(|sum| may_decompose(sum, Some(Op::Zext))) =>
            {
                self.add(func, def.args[0], Some(Op::Zext), factor)
            }
            _ => self.term(value, extension, factor),
        }
    }

    fn term(&mut self, value: Value, extension: Option<Op>, factor: i64) -> Option<()> {
        let is_same = |term: &&mut Term| term.value == value && term.extension == extension;
        if let Some(term) = self.terms.iter_mut().find(is_same) {
            term.factor = term.factor.wrapping_add(factor);
            return Some(());
        }
        if self.terms.len() == MAX_TERMS {
            return None;
        }
        self.terms.push(Term { value, extension, factor });
        Some(())
    }

    /// Writes the sum at the end of a block.
    fn write(mut self, func: &mut Function, block: Block, inst: &Inst, ranks: &IdMap<Value, u32>) -> Value {
        self.terms.retain(|term| term.factor != 0);
        // Terms are sorted by all that the following code groups by, and then by value, so that the order is
        // unique.
        let rank = |term: &Term| ranks[term.value].max(ranks[self.base]);
        self.terms
            .sort_by_key(|term| (rank(term), term.factor, term.value, term.extension == Some(Op::Zext)));
        let mut b = Builder::new(func, block);
        b.loc = inst.loc;
        let mut pointer = self.base;
        for group in self.terms.chunk_by(|a, b| (rank(a), a.factor) == (rank(b), b.factor)) {
            let mut sum = None;
            for term in group {
                let extend = |extension| b.convert(extension, Type::I64, term.value);
                let value = term.extension.map_or(term.value, extend);
                sum = Some(sum.map_or(value, |sum| b.same(Op::Iadd, &[sum, value])));
            }
            let factor = group[0].factor;
            if let Some(mut bytes) = sum {
                if factor != 1 {
                    let factor = b.iconst(Type::I64, factor as u64);
                    bytes = b.same(Op::Imul, &[bytes, factor]);
                }
                pointer = b.value(Op::PtrAdd, inst.ty, &[pointer, bytes], Attr::None);
            }
        }
        if self.constant != 0 { b.ptr_offset(pointer, self.constant as u64) } else { pointer }
    }
}
