//! Bitwise operations of three values: one instruction of AVX-512, given by its truth table, and what AVX2 has for the
//! bits of one value that are not in another.

use regalloc2::RegClass;
use smallvec::SmallVec;

use super::super::inst::{InstBuilder, Src};
use super::super::vec_ops::VecOp;
use super::{Lower, Lowered, RegShape, ValueRegs};
use grus_ir::{Def, Inst, IntBinary, Op, Value};

/// Truth tables of the first, second and third operand.
const TABLES: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Tree of bitwise operations that becomes one instruction.
struct Tree {
    /// Operands of the tree; constants of no or of all bits are part of the table.
    leaves: SmallVec<[Value; 3]>,
}

/// Returns the two operands in both orders.
fn orders(inst: &Inst) -> [(Value, Value); 2] {
    let (a, b) = (inst.args[0], inst.args[1]);
    [(a, b), (b, a)]
}

impl Lower<'_> {
    /// Lowers a tree of bitwise operations with at most three leaves to `vpternlog`.
    pub fn ternary(&mut self, inst: &Inst, op: IntBinary, shape: RegShape) -> Lowered<Option<ValueRegs>> {
        let is_bitwise = matches!(op, IntBinary::And | IntBinary::Or | IntBinary::Xor);
        if !self.target.avx512 || !is_bitwise {
            return Ok(None);
        }
        let Some(mut tree) = self.tree(inst) else { return Ok(None) };
        // An operand that can be in memory comes last; an operand without further uses comes first, since the result
        // overwrites it.
        tree.leaves.sort_by_key(|&leaf| (self.is_memory_operand(leaf), !self.is_last_use(leaf)));
        let table = self.table(inst, &tree);
        let vec_op = if shape.bits == 64 { VecOp::Vpternlogq } else { VecOp::Vpternlogd };
        let (first, second) = (tree.leaves[0], *tree.leaves.get(1).unwrap_or(&tree.leaves[0]));
        let [a, b] = [self.value_regs(first)?, self.value_regs(second)?];
        let mut regs = ValueRegs::new();
        for chunk in 0..shape.count {
            let third = match tree.leaves.get(2) {
                Some(&leaf) => self.source(leaf, chunk, vec_op, shape.size)?,
                None => Src::Reg(b[chunk]),
            };
            let result = self.code.vreg(RegClass::Float);
            let build =
                InstBuilder::vec_op(vec_op, shape.size).reuse_def(a[chunk], result).read(b[chunk]).src(third);
            self.emitted.push(build.imm8(table));
            regs.push(result);
        }
        tree.leaves.iter().for_each(|&leaf| self.mark_used(leaf));
        Ok(Some(regs))
    }

    /// Expands operands, first those that leave the fewest leaves. More than three leaves are allowed meanwhile, since
    /// the next expansion may reach leaves that exist already. An inner operation with other uses is computed twice,
    /// which is free: the truth table has the same length.
    fn tree(&self, inst: &Inst) -> Option<Tree> {
        /// Maximum number of leaves meanwhile.
        // Arbitrary.
        const MAX_LEAVES: usize = 5;
        // Arbitrary.
        const MAX_EXPANSIONS: usize = 8;
        let mut leaves = SmallVec::new();
        self.add_leaves(&mut leaves, inst);
        let mut found = None;
        for _ in 0..MAX_EXPANSIONS {
            let expanded = leaves.iter().filter_map(|&leaf| self.expanded(&leaves, leaf));
            match expanded.min_by_key(|expanded| expanded.len()) {
                Some(expanded) if expanded.len() <= MAX_LEAVES => leaves = expanded,
                _ => break,
            }
            if (1..=3).contains(&leaves.len()) {
                found = Some(Tree { leaves: leaves.iter().copied().collect() });
            }
        }
        found
    }

    /// Returns the leaves with one of them expanded, if it is a bitwise operation.
    fn expanded(&self, leaves: &[Value], leaf: Value) -> Option<SmallVec<[Value; 6]>> {
        let Def::Inst(id) = self.source.values[leaf].def else { return None };
        let inst = &self.source.insts[id];
        if !matches!(inst.op, Op::And | Op::Or | Op::Xor) || !self.is_in_current_block(leaf) {
            return None;
        }
        let mut expanded = leaves.iter().copied().filter(|&other| other != leaf).collect();
        self.add_leaves(&mut expanded, inst);
        Some(expanded)
    }

    fn add_leaves(&self, leaves: &mut SmallVec<[Value; 6]>, inst: &Inst) {
        for &arg in &inst.args {
            if self.all_or_no_bits(arg).is_none() && !leaves.contains(&arg) {
                leaves.push(arg);
            }
        }
    }

    /// Returns the value whose bitwise complement `value` is.
    fn complement_of(&self, value: Value) -> Option<Value> {
        let def = self.source.def_inst(self.origin(value)).filter(|def| def.op == Op::Xor)?;
        let is_inverted = |&(_, other): &(Value, Value)| self.all_or_no_bits(other) == Some(0xff);
        orders(def).into_iter().find(is_inverted).map(|(kept, _)| kept)
    }

    /// Returns the operands of an `and` whose first one is complemented by the instruction itself.
    pub fn and_not_operands(&self, inst: &Inst, op: IntBinary) -> Option<(Value, Value)> {
        if op != IntBinary::And {
            return None;
        }
        let inverted = |(value, other)| self.complement_of(value).map(|kept| (kept, other));
        orders(inst).into_iter().find_map(inverted)
    }

    /// Lowers `y ^ ((x ^ y) & mask)`, which selects bits of two values, as `x & mask | y & !mask`: it has the same
    /// length, but no operand waits for more than two instructions.
    pub fn bit_select(&mut self, inst: &Inst, op: IntBinary, shape: RegShape) -> Lowered<Option<ValueRegs>> {
        let Some([x, y, mask]) = self.bit_select_operands(inst, op) else { return Ok(None) };
        let mut regs = ValueRegs::new();
        for chunk in 0..shape.count {
            let size = shape.size;
            let (first, second) =
                (self.source(x, chunk, VecOp::Vpand, size)?, self.source(y, chunk, VecOp::Vpandn, size)?);
            let mask = self.value_reg(mask, chunk)?;
            let first = self.vector2(VecOp::Vpand, size, mask, first);
            let second = self.vector2(VecOp::Vpandn, size, mask, second);
            regs.push(self.vector2(VecOp::Vpor, size, first, second));
        }
        [x, y, mask].into_iter().for_each(|value| self.mark_used(value));
        Ok(Some(regs))
    }

    /// Returns the two values and the mask, if the inner operations have no other uses.
    fn bit_select_operands(&self, inst: &Inst, op: IntBinary) -> Option<[Value; 3]> {
        if self.target.avx512 || op != IntBinary::Xor {
            return None;
        }
        let inner = |value: Value, op: Op| {
            let def = self.source.def_inst(value).filter(|def| def.op == op);
            def.filter(|_| self.use_count(value) == 1 && self.is_in_current_block(value))
        };
        orders(inst).into_iter().find_map(|(masked, y)| {
            orders(inner(masked, Op::And)?).into_iter().find_map(|(differing, mask)| {
                let (_, x) = orders(inner(differing, Op::Xor)?).into_iter().find(|&(same, _)| same == y)?;
                self.splat_of(mask).is_none().then_some([x, y, mask])
            })
        })
    }

    /// Returns the truth table of a constant of no or of all bits.
    fn all_or_no_bits(&self, value: Value) -> Option<u8> {
        let bits = self.source.ty(value).kind.bits();
        match self.splat_of(value)? {
            0 => Some(0),
            number if number == u64::MAX >> (64 - bits) => Some(0xff),
            _ => None,
        }
    }

    fn table(&self, inst: &Inst, tree: &Tree) -> u8 {
        let of = |value: Value| {
            if let Some(table) = self.all_or_no_bits(value) {
                return table;
            }
            match tree.leaves.iter().position(|&leaf| leaf == value) {
                Some(at) => TABLES[at],
                None => self.table(self.source.def_inst(value).expect("it is a part of the tree"), tree),
            }
        };
        let (a, b) = (of(inst.args[0]), of(inst.args[1]));
        match inst.op {
            Op::And => a & b,
            Op::Or => a | b,
            _ => a ^ b,
        }
    }
}
