//! Lowering of expressions.

use super::convert::scalar_of;
use super::func::{Lowering, is_struct};
use grus_clc::tree::{self, BinaryOp, Expr, ExprKind, FunctionBody, FunctionId, Lvalue, LvalueKind, UnaryOp};
use grus_clc::types::{Opaque, Scalar, Type as CType, TypeId};
use grus_ir::{Attr, Block, FloatCond, IntCond, Op, Target, Type, Value};

impl Lowering<'_> {
    /// Returns the number of a sampler with program scope, which is a constant (s6.13.14.1).
    fn sampler_constant(&self, lvalue: &Lvalue) -> Option<u64> {
        let LvalueKind::Global(id) = lvalue.kind else { return None };
        if !matches!(self.cx.types().get(lvalue.ty.ty), CType::Opaque(Opaque::Sampler)) {
            return None;
        }
        let init = self.cx.unit.globals[id].init.as_ref()?;
        let bytes = init.bytes.get(..4)?.try_into().ok()?;
        Some(u64::from(u32::from_le_bytes(bytes)))
    }

    /// Lowers an expression; none for void.
    pub(super) fn expr(&mut self, expr: &Expr) -> Option<Value> {
        self.at(expr.span);
        let ty = self.cx.ty(expr.ty);
        Some(match &expr.kind {
            ExprKind::Int(bits) => self.b.iconst(ty, *bits),
            ExprKind::Float(value) => self.float(ty, *value),
            ExprKind::Zero => self.zero(expr.ty, ty)?,
            ExprKind::Load(lvalue) => {
                if let Some(bits) = self.sampler_constant(lvalue) {
                    return Some(self.b.iconst(ty, bits));
                }
                let address = self.address(lvalue);
                self.load(&address)
            }
            ExprKind::AddressOf(lvalue) => {
                let ptr = self.pointer_to(lvalue);
                self.b.convert(Op::Bitcast, ty, ptr)
            }
            ExprKind::Unary(op, arg) => self.unary(*op, arg, ty),
            ExprKind::Binary(op, lhs, rhs) => self.binary_expr(*op, lhs, rhs, ty),
            ExprKind::Logical { .. } => {
                let truth = self.condition(expr);
                self.b.convert(Op::Zext, ty, truth)
            }
            ExprKind::PtrAdd(ptr, index) => {
                let (pointee, ptr) = (pointee_size(self, ptr.ty), self.value(ptr));
                let index = self.value(index);
                self.ptr_index(ptr, index, pointee)
            }
            ExprKind::PtrDiff(lhs, rhs) => self.ptr_diff(lhs, rhs),
            ExprKind::Conditional(cond, then, otherwise) => {
                return self.conditional(cond, then, otherwise, expr.ty);
            }
            ExprKind::Blend(cond, a, b) => {
                let (cond, a, b) = (self.value(cond), self.value(a), self.value(b));
                let mask = self.mask_of(cond).unwrap_or_else(|| self.b.sign_mask(cond));
                self.b.select(mask, a, b)
            }
            ExprKind::Convert(arg) => {
                let value = self.expr(arg)?;
                return self.convert(value, arg.ty, expr.ty);
            }
            ExprKind::Bitcast(arg) => {
                let value = self.value(arg);
                self.bitcast(value, ty)
            }
            ExprKind::VectorLiteral(parts) => self.vector_literal(parts, ty),
            ExprKind::Swizzle(vector, lanes) => {
                let vector = self.value(vector);
                self.swizzle(vector, lanes)
            }
            ExprKind::Assign(lvalue, value) => {
                let value = self.value(value);
                let address = self.address(lvalue);
                self.store(&address, value);
                value
            }
            ExprKind::CompoundAssign { lvalue, op, rhs, compute } => {
                self.compound(lvalue, *op, rhs, *compute)
            }
            ExprKind::IncDec { lvalue, increment, prefix } => self.inc_dec(lvalue, *increment, *prefix),
            ExprKind::Call(function, args) => return self.call_expr(*function, args, expr.ty),
            ExprKind::CallBlock(block, args) => return self.call_block(block, args, expr.ty),
            ExprKind::Statements(statements, last) => {
                self.stmts(statements);
                return self.expr(last);
            }
            ExprKind::Comma(first, second) => {
                self.expr(first);
                return self.expr(second);
            }
        })
    }

    /// Lowers an expression that is not void.
    pub(super) fn value(&mut self, expr: &Expr) -> Value {
        self.expr(expr).expect("the front end lets no void value be used")
    }

    fn float(&mut self, ty: Type, value: f64) -> Value {
        let bits = match ty.kind.bits() {
            64 => value.to_bits(),
            32 => u64::from((value as f32).to_bits()),
            _ => u64::from(grus_support::f16::from_f64(value)),
        };
        self.b.fconst_bits(ty, bits)
    }

    fn zero(&mut self, id: TypeId, ty: Type) -> Option<Value> {
        if ty == Type::VOID {
            return None;
        }
        if !matches!(
            self.cx.types().get(id),
            CType::Struct(_) | CType::Array(..) | CType::Opaque(Opaque::NdRange)
        ) {
            return Some(self.b.zero(ty));
        }
        let slot = self.temporary_of(id);
        let size = self.cx.types().size_of(id);
        let align = self.cx.types().align_of(id) as u32;
        self.b.effect(Op::MemZero, &[slot], Attr::SizeAlign(size, align));
        Some(slot)
    }

    fn unary(&mut self, op: UnaryOp, arg: &Expr, ty: Type) -> Value {
        let value = self.value(arg);
        let operand = self.b.func.ty(value);
        match op {
            UnaryOp::Neg if operand.kind.is_float() => self.b.same(Op::Fneg, &[value]),
            UnaryOp::Neg => {
                let zero = self.b.zero(operand);
                if self.is_signed(arg.ty) && overflow_is_undefined(operand) {
                    self.b.signed(Op::Isub, &[zero, value])
                } else {
                    self.b.same(Op::Isub, &[zero, value])
                }
            }
            UnaryOp::BitNot => {
                let ones = self.b.iconst(operand, u64::MAX);
                self.b.same(Op::Xor, &[value, ones])
            }
            UnaryOp::LogicalNot if operand.is_vector() => {
                let mask = self.compare(BinaryOp::Eq, value, None, arg.ty);
                self.b.convert(Op::Sext, ty, mask)
            }
            UnaryOp::LogicalNot => {
                let truth = self.truth(value);
                let inverted = self.not(truth);
                self.b.convert(Op::Zext, ty, inverted)
            }
        }
    }

    fn not(&mut self, truth: Value) -> Value {
        let one = self.b.iconst(Type::I1, 1);
        self.b.same(Op::Xor, &[truth, one])
    }

    fn binary_expr(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, ty: Type) -> Value {
        if let BinaryOp::Add | BinaryOp::Sub = op {
            if let Some((x, y)) = contractible_factors(lhs) {
                let (x, y, z) = (self.value(x), self.value(y), self.value(rhs));
                return self.fused(op, x, y, z);
            }
            if let Some((x, y)) = contractible_factors(rhs) {
                let (z, x, y) = (self.value(lhs), self.value(x), self.value(y));
                return self.fused_into(op, z, x, y);
            }
        }
        let (a, b) = (self.value(lhs), self.value(rhs));
        match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let result = self.compare(op, a, Some(b), lhs.ty);
                self.b.convert(if ty.is_vector() { Op::Sext } else { Op::Zext }, ty, result)
            }
            BinaryOp::And | BinaryOp::Or => {
                let a = self.mask_of(a).unwrap_or_else(|| self.compare(BinaryOp::Ne, a, None, lhs.ty));
                let b = self.mask_of(b).unwrap_or_else(|| self.compare(BinaryOp::Ne, b, None, rhs.ty));
                let both = self.b.same(if op == BinaryOp::And { Op::And } else { Op::Or }, &[a, b]);
                self.b.convert(Op::Sext, ty, both)
            }
            _ => self.arithmetic(op, a, b, lhs.ty),
        }
    }

    /// Emits `x * y + z` or `x * y - z` with one rounding.
    fn fused(&mut self, op: BinaryOp, x: Value, y: Value, z: Value) -> Value {
        let z = if op == BinaryOp::Sub { self.b.same(Op::Fneg, &[z]) } else { z };
        self.b.same(Op::Fma, &[x, y, z])
    }

    /// Emits `z + x * y` or `z - x * y` with one rounding.
    fn fused_into(&mut self, op: BinaryOp, z: Value, x: Value, y: Value) -> Value {
        let x = if op == BinaryOp::Sub { self.b.same(Op::Fneg, &[x]) } else { x };
        self.b.same(Op::Fma, &[x, y, z])
    }

    /// Returns the mask whose extension to -1 and 0 a vector is.
    fn mask_of(&self, value: Value) -> Option<Value> {
        let def = self.b.func.def_inst(value).filter(|def| def.op == Op::Sext)?;
        self.b.func.ty(def.args[0]).is_mask().then(|| def.args[0])
    }

    /// Emits a comparison with another value or with zero, one `i1` for each lane.
    fn compare(&mut self, op: BinaryOp, a: Value, b: Option<Value>, id: TypeId) -> Value {
        let ty = self.b.func.ty(a);
        let b = b.unwrap_or_else(|| self.b.zero(ty));
        // Pointers to different address spaces are compared by address.
        let b = if ty.kind.is_ptr() { self.b.convert(Op::Bitcast, ty, b) } else { b };
        if ty.kind.is_float() {
            let cond = match op {
                BinaryOp::Eq => FloatCond::Oeq,
                BinaryOp::Ne => FloatCond::Une,
                BinaryOp::Lt => FloatCond::Olt,
                BinaryOp::Le => FloatCond::Ole,
                BinaryOp::Gt => FloatCond::Ogt,
                _ => FloatCond::Oge,
            };
            return self.b.fcmp(cond, a, b);
        }
        let signed = self.is_signed(id);
        let cond = match (op, signed) {
            (BinaryOp::Eq, _) => IntCond::Eq,
            (BinaryOp::Ne, _) => IntCond::Ne,
            (BinaryOp::Lt, true) => IntCond::Slt,
            (BinaryOp::Le, true) => IntCond::Sle,
            (BinaryOp::Gt, true) => IntCond::Sgt,
            (_, true) => IntCond::Sge,
            (BinaryOp::Lt, false) => IntCond::Ult,
            (BinaryOp::Le, false) => IntCond::Ule,
            (BinaryOp::Gt, false) => IntCond::Ugt,
            (_, false) => IntCond::Uge,
        };
        self.b.icmp(cond, a, b)
    }

    /// Emits an arithmetic, bitwise or shift operation; `id` is the type of the left operand.
    fn arithmetic(&mut self, op: BinaryOp, a: Value, b: Value, id: TypeId) -> Value {
        let ty = self.b.func.ty(a);
        let signed = self.is_signed(id);
        let float = ty.kind.is_float();
        let op = match op {
            BinaryOp::Add if float => Op::Fadd,
            BinaryOp::Sub if float => Op::Fsub,
            BinaryOp::Mul | BinaryOp::MulUnrounded if float => Op::Fmul,
            BinaryOp::Div if float => Op::Fdiv,
            BinaryOp::Add => Op::Iadd,
            BinaryOp::Sub => Op::Isub,
            BinaryOp::Mul | BinaryOp::MulUnrounded => Op::Imul,
            BinaryOp::Div if signed => Op::Sdiv,
            BinaryOp::Div => Op::Udiv,
            BinaryOp::Rem if signed => Op::Srem,
            BinaryOp::Rem => Op::Urem,
            BinaryOp::Shl | BinaryOp::Shr => return self.shift(op, signed, a, b),
            BinaryOp::BitAnd => Op::And,
            BinaryOp::BitOr => Op::Or,
            BinaryOp::BitXor => Op::Xor,
            _ => unreachable!("comparisons and logic are lowered elsewhere"),
        };
        if signed && overflow_is_undefined(ty) && matches!(op, Op::Iadd | Op::Isub | Op::Imul) {
            return self.b.signed(op, &[a, b]);
        }
        self.b.same(op, &[a, b])
    }

    /// Checks whether the lanes of a type are signed integers.
    fn is_signed(&self, id: TypeId) -> bool {
        scalar_of(self.cx.types().get(id)).is_some_and(Scalar::is_signed_int)
    }

    /// Emits a shift. Only the low bits of the count matter, so it may have any integer type.
    fn shift(&mut self, op: BinaryOp, signed: bool, a: Value, count: Value) -> Value {
        let (ty, from) = (self.b.func.ty(a), self.b.func.ty(count));
        let resized = ty.lane().with_lanes(from.lanes);
        let count = if from.kind.bits() < ty.kind.bits() {
            self.b.convert(Op::Zext, resized, count)
        } else {
            self.b.convert(Op::Trunc, resized, count)
        };
        let count = if from.lanes < ty.lanes { self.b.splat(ty, count) } else { count };
        let op = match (op, signed) {
            (BinaryOp::Shl, _) => Op::Shl,
            (_, true) => Op::Ashr,
            (_, false) => Op::Lshr,
        };
        self.b.same(op, &[a, count])
    }

    /// Emits `ptr + index` for elements of `size` bytes.
    pub(super) fn ptr_index(&mut self, ptr: Value, index: Value, size: u64) -> Value {
        let bytes = if size == 1 {
            index
        } else {
            let size = self.b.iconst(Type::I64, size);
            self.b.same(Op::Imul, &[index, size])
        };
        self.b.ptr_add(ptr, bytes)
    }

    fn ptr_diff(&mut self, lhs: &Expr, rhs: &Expr) -> Value {
        let size = pointee_size(self, lhs.ty).max(1);
        let (a, b) = (self.value(lhs), self.value(rhs));
        let a = self.b.convert(Op::Bitcast, Type::I64, a);
        let b = self.b.convert(Op::Bitcast, Type::I64, b);
        let bytes = self.b.same(Op::Isub, &[a, b]);
        let size = self.b.iconst(Type::I64, size);
        self.b.same(Op::Sdiv, &[bytes, size])
    }

    fn vector_literal(&mut self, parts: &[Expr], ty: Type) -> Value {
        let mut lanes = Vec::new();
        for part in parts {
            let value = self.value(part);
            let count = self.b.func.ty(value).lanes;
            if count == 1 {
                lanes.push(value);
            } else {
                lanes.extend((0..count).map(|lane| self.b.extract(value, lane)));
            }
        }
        self.b.value(Op::BuildVector, ty, &lanes, Attr::None)
    }

    fn conditional(&mut self, cond: &Expr, then: &Expr, otherwise: &Expr, id: TypeId) -> Option<Value> {
        let ty = self.cx.ty(id);
        let then_block = self.b.func.add_block();
        let else_block = self.b.func.add_block();
        let join = self.b.func.add_block();
        let result = (ty != Type::VOID).then(|| self.b.func.add_param(join, ty));
        self.branch(cond, then_block, else_block);
        for (block, expr) in [(then_block, then), (else_block, otherwise)] {
            self.b.switch_to(block);
            let value = self.expr(expr);
            let args: Vec<Value> = result.and(value).into_iter().collect();
            self.b.jump(join, &args);
        }
        self.b.switch_to(join);
        result
    }

    /// Emits a branch on a scalar condition; `&&`, `||` and `!` become control flow.
    pub(super) fn branch(&mut self, cond: &Expr, then: Block, otherwise: Block) {
        match &cond.kind {
            ExprKind::Logical { and, lhs, rhs } => {
                let middle = self.b.func.add_block();
                let (t, f) = if *and { (middle, otherwise) } else { (then, middle) };
                self.branch(lhs, t, f);
                self.b.switch_to(middle);
                self.branch(rhs, then, otherwise);
            }
            ExprKind::Unary(UnaryOp::LogicalNot, arg) => self.branch(arg, otherwise, then),
            _ => {
                let value = self.value(cond);
                let truth = self.truth(value);
                self.b.br_if(truth, then, otherwise);
            }
        }
    }

    /// Lowers a scalar condition to `i1`.
    fn condition(&mut self, expr: &Expr) -> Value {
        let ExprKind::Logical { and, lhs, rhs } = &expr.kind else {
            let value = self.value(expr);
            return self.truth(value);
        };
        let right = self.b.func.add_block();
        let join = self.b.func.add_block();
        let result = self.b.func.add_param(join, Type::I1);
        let left = self.condition(lhs);
        let targets = if *and {
            vec![Target::new(right, &[]), Target::new(join, &[left])]
        } else {
            vec![Target::new(join, &[left]), Target::new(right, &[])]
        };
        self.b.inst(Op::BrIf, Type::VOID, &[left], Attr::None, targets);
        self.b.switch_to(right);
        let value = self.condition(rhs);
        self.b.jump(join, &[value]);
        self.b.switch_to(join);
        result
    }

    fn compound(&mut self, lvalue: &tree::Lvalue, op: BinaryOp, rhs: &Expr, compute: TypeId) -> Value {
        let product =
            if matches!(op, BinaryOp::Add | BinaryOp::Sub) { contractible_factors(rhs) } else { None };
        // A product that is contracted into the sum is lowered as its factors.
        let (rhs_value, factor) = match product {
            Some((x, y)) => (self.value(x), Some(self.value(y))),
            None => (self.value(rhs), None),
        };
        let address = self.address(lvalue);
        let old = self.load(&address);
        let new = if let CType::Pointer(to) = self.cx.types().get(compute) {
            let size = self.cx.types().size_of(to.ty);
            let index = if op == BinaryOp::Sub { self.negated(rhs_value) } else { rhs_value };
            self.ptr_index(old, index, size)
        } else {
            let wide = self.convert(old, lvalue.ty.ty, compute).expect("not void");
            let result = match factor {
                Some(factor) => self.fused_into(op, wide, rhs_value, factor),
                None => self.arithmetic(op, wide, rhs_value, compute),
            };
            self.convert(result, compute, lvalue.ty.ty).expect("not void")
        };
        self.store(&address, new);
        new
    }

    fn negated(&mut self, value: Value) -> Value {
        let zero = self.b.zero(self.b.func.ty(value));
        self.b.same(Op::Isub, &[zero, value])
    }

    fn inc_dec(&mut self, lvalue: &tree::Lvalue, increment: bool, prefix: bool) -> Value {
        let address = self.address(lvalue);
        let old = self.load(&address);
        let ty = self.b.func.ty(old);
        let new = match self.cx.types().get(lvalue.ty.ty).clone() {
            CType::Pointer(to) => {
                let size = self.cx.types().size_of(to.ty);
                let bytes = if increment { size } else { size.wrapping_neg() };
                self.b.ptr_offset(old, bytes)
            }
            // `++` makes a bool true and `--` inverts it, which converting b + 1 and b - 1 gives.
            CType::Bool => {
                let one = self.b.iconst(Type::I8, 1);
                self.b.same(if increment { Op::Or } else { Op::Xor }, &[old, one])
            }
            _ if ty.kind.is_float() => {
                let lane = self.float(ty.lane(), 1.0);
                let one = self.b.splat(ty, lane);
                self.b.same(if increment { Op::Fadd } else { Op::Fsub }, &[old, one])
            }
            _ => {
                let one = self.b.iconst(ty, 1);
                let op = if increment { Op::Iadd } else { Op::Isub };
                let signed = self.is_signed(lvalue.ty.ty) && overflow_is_undefined(ty);
                if signed { self.b.signed(op, &[old, one]) } else { self.b.same(op, &[old, one]) }
            }
        };
        self.store(&address, new);
        if prefix { new } else { old }
    }

    fn call_expr(&mut self, id: FunctionId, args: &[Expr], ret: TypeId) -> Option<Value> {
        let callee = &self.cx.unit.functions[id];
        if let FunctionBody::Op(name) = &callee.body {
            let types: Vec<TypeId> = args.iter().map(|a| a.ty).collect();
            let values: Vec<Value> = args.iter().map(|a| self.value(a)).collect();
            return self.operation(name, &values, &types, ret);
        }
        let values: Vec<Value> = args.iter().map(|a| self.value(a)).collect();
        let func = self.function_for(id, args);
        self.call_func(func, ret, values)
    }

    /// Emits a call with lowered arguments.
    pub(super) fn call(&mut self, id: FunctionId, callee: &tree::Function, args: &[Value]) -> Option<Value> {
        let ret = if is_struct(self.cx, callee.ret) { Type::VOID } else { self.cx.ty(callee.ret) };
        if let FunctionBody::Op(name) = &callee.body {
            let types: Vec<TypeId> = callee.locals.values().map(|l| l.ty.ty).collect();
            return self.operation(name, args, &types, callee.ret);
        }
        let func = self.cx.map[id].expect("a function that is not an operation is in the module");
        let inst = self.b.inst(Op::Call, ret, args, Attr::Func(func), Vec::new());
        self.b.func.insts[inst].result
    }
}

/// Returns the size of the type that a pointer of type `pointer` points at.
pub(super) fn pointee_size(lowering: &Lowering<'_>, pointer: TypeId) -> u64 {
    match lowering.cx.types().get(pointer) {
        CType::Pointer(to) => lowering.cx.types().size_of(to.ty),
        _ => 1,
    }
}

/// Returns the factors of a product that may be contracted into a sum (FP_CONTRACT).
fn contractible_factors(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::MulUnrounded, x, y) => Some((x, y)),
        _ => None,
    }
}

/// Checks whether signed overflow in this type is undefined behavior of the program. Narrower values were
/// promoted before or are truncated results; overflow of vectors is not assumed away.
fn overflow_is_undefined(ty: Type) -> bool {
    !ty.is_vector() && ty.kind.bits() >= 32
}
