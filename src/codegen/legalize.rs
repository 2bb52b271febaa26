//! Legalization: replaces ops that a target has no instructions for by ops that it has. It is IR → IR,
//! table-driven, and shared by all backends. Replacements are legalized by the same table.

mod bytes;

use std::borrow::Cow;

use super::{float_atomics, majority};
use grus_ir::{Attr, Block, Builder, FloatCond, Function, Inst, InstId, IntCond, Kind, Loc, Op, Type, Value};
use grus_support::FastMap;

/// Target that ops are legalized for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegalizeTarget {
    /// Cranelift, with its 128-bit vectors, and scalars.
    Cranelift,
    Avx2,
    Avx512,
    /// AVX-512 with arithmetic on halves.
    Avx512Fp16,
}

use LegalizeTarget::{Avx2, Avx512, Avx512Fp16, Cranelift};

const ALL: &[LegalizeTarget] = &[Cranelift, Avx2, Avx512, Avx512Fp16];
const X64: &[LegalizeTarget] = &[Avx2, Avx512, Avx512Fp16];
const WITH_MASKS: &[LegalizeTarget] = &[Avx512, Avx512Fp16];
const WITHOUT_HALVES: &[LegalizeTarget] = &[Cranelift, Avx2, Avx512];

/// Types that a rule applies to, by their lanes.
#[derive(Clone, Copy)]
enum LanePattern {
    /// Scalars; for Cranelift also vectors that do not fill its registers.
    ScalarLike,
    /// Vectors; for Cranelift those that fill its registers.
    FullVector,
    Any,
}

impl LanePattern {
    fn has(self, target: LegalizeTarget, ty: Type) -> bool {
        // Cranelift's vectors are only those that fill registers.
        let fills = target != Cranelift || ty.bits().is_multiple_of(128);
        match self {
            LanePattern::ScalarLike => !ty.is_vector() || !fills,
            LanePattern::FullVector => ty.is_vector() && fills,
            LanePattern::Any => true,
        }
    }
}

/// Type that a rule refers to.
#[derive(Clone, Copy)]
enum TypedBy {
    Result,
    /// Type of the first operand.
    Operand,
}

type Write = fn(&mut BlockWriter<'_>, &OpToReplace) -> Value;

/// Rule: how these ops on these kinds of lanes are replaced on the targets that lack them.
struct LegalizeRule {
    ops: &'static [Op],
    typed_by: TypedBy,
    kinds: &'static [Kind],
    lanes: LanePattern,
    lacking: &'static [LegalizeTarget],
    write: Write,
}

const fn rule(
    ops: &'static [Op],
    typed_by: TypedBy,
    kinds: &'static [Kind],
    lanes: LanePattern,
    lacking: &'static [LegalizeTarget],
    write: Write,
) -> LegalizeRule {
    LegalizeRule { ops, typed_by, kinds, lanes, lacking, write }
}

const KINDS_8_16: &[Kind] = &[Kind::I8, Kind::I16];
const KINDS_8_TO_32: &[Kind] = &[Kind::I8, Kind::I16, Kind::I32];
const KIND_8: &[Kind] = &[Kind::I8];
const KIND_16: &[Kind] = &[Kind::I16];
const KIND_32: &[Kind] = &[Kind::I32];
const KIND_64: &[Kind] = &[Kind::I64];
const KINDS_32_64: &[Kind] = &[Kind::I32, Kind::I64];
const KIND_HALF: &[Kind] = &[Kind::F16];
const KINDS_FLOAT: &[Kind] = &[Kind::F32, Kind::F64];

const DIVISIONS: &[Op] = &[Op::Udiv, Op::Sdiv, Op::Urem, Op::Srem];
const HIGH_PRODUCTS: &[Op] = &[Op::Umulhi, Op::Smulhi];
const SATURATING: &[Op] = &[Op::UaddSat, Op::SaddSat, Op::UsubSat, Op::SsubSat];
const EXTREMA: &[Op] = &[Op::Smin, Op::Smax, Op::Umin, Op::Umax];
const SHIFTS: &[Op] = &[Op::Shl, Op::Lshr, Op::Ashr];
const FLOATS: &[Op] =
    &[Op::Fadd, Op::Fsub, Op::Fmul, Op::Fdiv, Op::Fsqrt, Op::Ffloor, Op::Fceil, Op::Ftrunc, Op::Fnearest];
const EXPONENTS: &[Op] = &[Op::Fgetexp, Op::Fgetmant, Op::Fscale];

const TABLE: &[LegalizeRule] = &[
    rule(DIVISIONS, TypedBy::Result, KINDS_8_16, LanePattern::Any, ALL, in_dwords),
    rule(HIGH_PRODUCTS, TypedBy::Result, KINDS_8_16, LanePattern::Any, &[Cranelift], upper_half),
    rule(HIGH_PRODUCTS, TypedBy::Result, KINDS_8_TO_32, LanePattern::ScalarLike, X64, upper_half),
    rule(HIGH_PRODUCTS, TypedBy::Result, KIND_8, LanePattern::FullVector, X64, upper_half),
    rule(SATURATING, TypedBy::Result, KINDS_8_16, LanePattern::ScalarLike, ALL, clamped),
    rule(SATURATING, TypedBy::Result, KIND_32, LanePattern::ScalarLike, &[Cranelift], clamped),
    rule(SATURATING, TypedBy::Result, KIND_64, LanePattern::ScalarLike, &[Cranelift], saturated),
    rule(SATURATING, TypedBy::Result, KINDS_32_64, LanePattern::FullVector, ALL, saturated),
    rule(EXTREMA, TypedBy::Result, KIND_64, LanePattern::FullVector, &[Cranelift, Avx2], compared),
    rule(&[Op::Imul], TypedBy::Result, KIND_8, LanePattern::FullVector, &[Cranelift], in_wider_lanes),
    rule(&[Op::Imul], TypedBy::Result, KIND_8, LanePattern::FullVector, X64, bytes::product),
    rule(SHIFTS, TypedBy::Result, KIND_8, LanePattern::FullVector, &[Avx2], in_wider_lanes),
    rule(SHIFTS, TypedBy::Result, KIND_8, LanePattern::FullVector, WITH_MASKS, bytes::shift),
    rule(SHIFTS, TypedBy::Result, KIND_16, LanePattern::FullVector, &[Avx2], in_wider_lanes),
    rule(&[Op::Rotl], TypedBy::Result, KINDS_8_16, LanePattern::FullVector, WITH_MASKS, rotated),
    rule(
        &[Op::Rotl],
        TypedBy::Result,
        &[Kind::I8, Kind::I16, Kind::I32, Kind::I64],
        LanePattern::FullVector,
        &[Avx2],
        rotated,
    ),
    rule(&[Op::Popcnt], TypedBy::Result, KINDS_8_16, LanePattern::ScalarLike, ALL, counted),
    rule(&[Op::Popcnt], TypedBy::Result, KIND_16, LanePattern::FullVector, &[Cranelift], counted),
    rule(&[Op::Clz], TypedBy::Result, KIND_16, LanePattern::Any, ALL, counted),
    rule(&[Op::Clz], TypedBy::Result, KIND_8, LanePattern::Any, &[Cranelift], counted),
    rule(&[Op::Clz], TypedBy::Result, KIND_8, LanePattern::ScalarLike, X64, counted),
    rule(&[Op::Ctz], TypedBy::Result, KINDS_8_16, LanePattern::ScalarLike, ALL, counted),
    rule(&[Op::Ctz], TypedBy::Result, KINDS_8_16, LanePattern::FullVector, &[Cranelift], counted),
    rule(&[Op::Fptosi, Op::Fptoui], TypedBy::Operand, KIND_HALF, LanePattern::Any, ALL, half_to_int),
    rule(&[Op::Sitofp, Op::Uitofp], TypedBy::Result, KIND_HALF, LanePattern::Any, ALL, int_to_half),
    rule(
        &[Op::Fptosi, Op::Fptoui],
        TypedBy::Result,
        KINDS_8_16,
        LanePattern::ScalarLike,
        X64,
        float_to_small_int,
    ),
    rule(
        &[Op::Fptosi, Op::Fptoui],
        TypedBy::Result,
        KINDS_8_16,
        LanePattern::Any,
        &[Cranelift],
        float_to_small_int,
    ),
    rule(&[Op::Sitofp, Op::Uitofp], TypedBy::Operand, KINDS_8_16, LanePattern::Any, ALL, small_int_to_float),
    rule(FLOATS, TypedBy::Operand, KIND_HALF, LanePattern::Any, WITHOUT_HALVES, in_floats),
    rule(EXPONENTS, TypedBy::Operand, KIND_HALF, LanePattern::Any, WITHOUT_HALVES, in_floats),
    rule(&[Op::Fgetexp], TypedBy::Operand, KINDS_FLOAT, LanePattern::Any, &[Cranelift, Avx2], exponent),
    rule(&[Op::Fgetmant], TypedBy::Operand, KINDS_FLOAT, LanePattern::Any, &[Cranelift, Avx2], mantissa),
    rule(&[Op::Fscale], TypedBy::Operand, KINDS_FLOAT, LanePattern::Any, &[Cranelift, Avx2], scaled),
    rule(&[Op::Fcmp], TypedBy::Operand, KIND_HALF, LanePattern::ScalarLike, ALL, in_floats),
    rule(&[Op::Fcmp], TypedBy::Operand, KIND_HALF, LanePattern::FullVector, WITHOUT_HALVES, in_floats),
    rule(&[Op::Fma], TypedBy::Operand, KIND_HALF, LanePattern::Any, WITHOUT_HALVES, product_and_sum),
];

/// True for the ops that have rules.
const HAS_RULES: [bool; Op::ALL.len()] = {
    let mut found = [false; Op::ALL.len()];
    let mut at = 0;
    while at < TABLE.len() {
        let mut op = 0;
        while op < TABLE[at].ops.len() {
            found[TABLE[at].ops[op] as usize] = true;
            op += 1;
        }
        at += 1;
    }
    found
};

/// Pure op on values.
struct OpToReplace {
    op: Op,
    ty: Type,
    args: Vec<Value>,
    attr: Attr,
}

/// Returns the replacement of an op that the target lacks.
fn replacement(
    target: LegalizeTarget,
    func: &Function,
    op: Op,
    result: Type,
    args: &[Value],
) -> Option<Write> {
    if !HAS_RULES[op as usize] {
        return None;
    }
    let operand = func.ty(args[0]);
    let of = |rule: &LegalizeRule| match rule.typed_by {
        TypedBy::Result => result,
        TypedBy::Operand => operand,
    };
    let matches_op = |rule: &&LegalizeRule| {
        let ty = of(rule);
        rule.ops.contains(&op)
            && rule.kinds.contains(&ty.kind)
            && rule.lacking.contains(&target)
            && rule.lanes.has(target, ty)
    };
    // Shifts with the same count for all lanes have instructions on wider lanes that bytes can be composed from; a
    // rotation by whole bytes is a byte shuffle.
    let has_native_uniform_shift = || {
        let count = args.get(1).and_then(|&count| func.as_const_of_lanes(count));
        target != Cranelift
            && count.is_some_and(|count| match op {
                Op::Shl | Op::Lshr | Op::Ashr => true,
                Op::Rotl => result.kind != Kind::I8 && count.is_multiple_of(8),
                _ => false,
            })
    };
    let rule = TABLE.iter().find(matches_op)?;
    (!has_native_uniform_shift()).then_some(rule.write)
}

/// Returns the function with all ops replaced that the target lacks.
pub fn legalize(func: &Function, target: LegalizeTarget) -> Cow<'_, Function> {
    let lacks = |func: &Function, inst: &Inst| replacement(target, func, inst.op, inst.ty, &inst.args);
    let majorities = if WITH_MASKS.contains(&target) { FastMap::default() } else { majority::find(func) };
    let has_float_atomics = func.instructions().any(float_atomics::is_candidate);
    let is_legal = || !func.instructions().any(|inst| lacks(func, inst).is_some());
    if majorities.is_empty() && !has_float_atomics && is_legal() {
        return Cow::Borrowed(func);
    }
    let mut func = func.clone();
    majority::write(&mut func, &majorities);
    if has_float_atomics {
        float_atomics::expand(&mut func);
    }
    let block = func.entry();
    let (wide, normalized) = (FastMap::default(), FastMap::default());
    let mut writer = BlockWriter { func: &mut func, target, block, loc: 0, wide, normalized };
    for block in writer.func.layout.clone() {
        writer.enter(block);
        for id in std::mem::take(&mut writer.func.blocks[block].insts) {
            let inst = &writer.func.insts[id];
            match lacks(writer.func, inst) {
                Some(write) => writer.replace(id, write),
                None => writer.func.blocks[block].insts.push(id),
            }
        }
    }
    Cow::Owned(func)
}

/// Writer of replacements, at the end of a block.
struct BlockWriter<'f> {
    func: &'f mut Function,
    target: LegalizeTarget,
    block: Block,
    loc: Loc,
    /// Extended operands that the block has already.
    wide: FastMap<(Value, Op, Kind), Value>,
    /// Parts of numbers that the block has already.
    normalized: FastMap<Value, Normalized>,
}

impl BlockWriter<'_> {
    fn enter(&mut self, block: Block) {
        self.block = block;
        self.wide.clear();
        self.normalized.clear();
    }

    /// Writes the replacement of an instruction; its last instruction defines the original result.
    fn replace(&mut self, id: InstId, write: Write) {
        let inst = self.func.insts[id].clone();
        self.loc = inst.loc;
        let what =
            OpToReplace { op: inst.op, ty: inst.ty, args: inst.args.to_vec(), attr: inst.attr.clone() };
        let value = write(self, &what);
        let insts = &mut self.func.blocks[self.block].insts;
        let last = insts.pop().expect("something was written");
        insts.push(id);
        let replacement_inst = self.func.insts[last].clone();
        debug_assert_eq!(replacement_inst.result, Some(value));
        self.func.insts[id] = Inst { result: inst.result, ..replacement_inst };
    }

    fn build(&mut self) -> Builder<'_> {
        Builder { func: self.func, block: self.block, loc: self.loc }
    }

    /// Writes an op, which is legalized too.
    fn make(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        match replacement(self.target, self.func, op, ty, args) {
            Some(write) => write(self, &OpToReplace { op, ty, args: args.to_vec(), attr: Attr::None }),
            None => self.build().value(op, ty, args, Attr::None),
        }
    }

    /// Writes an op whose result has the type of its operands.
    fn same(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.ty(args[0]);
        self.make(op, ty, args)
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        if ty.kind.is_float() { self.build().fconst_bits(ty, bits) } else { self.build().iconst(ty, bits) }
    }

    /// Writes a shift by a constant count.
    fn shift(&mut self, op: Op, value: Value, count: u32) -> Value {
        let ty = self.func.ty(value);
        let count = self.constant(ty, count.into());
        self.same(op, &[value, count])
    }

    /// Extends an operand to lanes of another kind; constants stay constants.
    fn extend(&mut self, op: Op, value: Value, kind: Kind) -> Value {
        if let Some(&known) = self.wide.get(&(value, op, kind)) {
            return known;
        }
        let ty = self.func.ty(value).with_kind(kind);
        let splat = self.func.def_inst(value).filter(|def| def.op == Op::Splat).map(|def| def.args[0]);
        let wide = match splat {
            Some(lane) => {
                let lane = self.extend(op, lane, kind);
                self.build().splat(ty, lane)
            }
            None => self.make(op, ty, &[value]),
        };
        self.wide.insert((value, op, kind), wide);
        wide
    }

    fn extend_all(&mut self, op: Op, what: &OpToReplace, kind: Kind) -> Vec<Value> {
        what.args.iter().map(|&arg| self.extend(op, arg, kind)).collect()
    }

    /// Truncates to the lanes of the result.
    fn truncate(&mut self, value: Value, what: &OpToReplace) -> Value {
        self.make(Op::Trunc, what.ty, &[value])
    }

    /// Clamps signed wider lanes to the bounds of the result's type, and truncates them.
    fn clamp(&mut self, value: Value, what: &OpToReplace, is_signed: bool) -> Value {
        let (wide, bits) = (self.func.ty(value), what.ty.kind.bits());
        let top = 1i64 << (bits - u32::from(is_signed));
        let min_value = self.constant(wide, if is_signed { -top } else { 0 } as u64);
        let value = self.same(Op::Smax, &[value, min_value]);
        let max_value = self.constant(wide, (top - 1) as u64);
        let value = self.same(Op::Smin, &[value, max_value]);
        self.truncate(value, what)
    }
}

/// Returns the extension of an op's operands.
fn extension(op: Op) -> Op {
    match op {
        Op::Sdiv | Op::Srem | Op::Smulhi | Op::SaddSat | Op::SsubSat | Op::Ashr | Op::Sitofp => Op::Sext,
        _ => Op::Zext,
    }
}

/// Computes exactly in 32 bits, and truncates.
fn in_dwords(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let args = w.extend_all(extension(what.op), what, Kind::I32);
    let wide = w.same(what.op, &args);
    w.truncate(wide, what)
}

/// Returns the integer kind of twice the width.
fn doubled(kind: Kind) -> Kind {
    Kind::int_of_bits(2 * kind.bits())
}

/// Computes the op in wider lanes, of twice the width or the next one that the target supports, and truncates.
fn in_wider_lanes(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let is_shift = SHIFTS.contains(&what.op);
    let kind = if is_shift && w.target == Avx2 { Kind::I32 } else { doubled(what.ty.kind) };
    let number = w.extend(extension(what.op), what.args[0], kind);
    let second = if is_shift {
        // Counts are taken modulo the original width.
        let max_value = w.constant(what.ty, u64::from(what.ty.kind.bits()) - 1);
        let count = w.same(Op::And, &[what.args[1], max_value]);
        w.extend(Op::Zext, count, kind)
    } else {
        w.extend(Op::Zext, what.args[1], kind)
    };
    let wide = w.same(what.op, &[number, second]);
    w.truncate(wide, what)
}

/// Computes the upper half of a product, by an exact product in wider lanes.
fn upper_half(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let bits = what.ty.kind.bits();
    // There are no vector products of bytes, and scalars are computed in at least 32 bits.
    let is_scalar = !what.ty.is_vector();
    let kind = if is_scalar && bits == 8 { Kind::I32 } else { doubled(what.ty.kind) };
    let args = w.extend_all(extension(what.op), what, kind);
    let product = w.same(Op::Imul, &args);
    let high = w.shift(Op::Lshr, product, bits);
    w.truncate(high, what)
}

fn is_sum(op: Op) -> bool {
    matches!(op, Op::UaddSat | Op::SaddSat)
}

/// Computes exactly in wider lanes, and clamps to the bounds.
fn clamped(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let kind = if what.ty.kind == Kind::I32 { Kind::I64 } else { Kind::I32 };
    let extend = extension(what.op);
    let args = w.extend_all(extend, what, kind);
    let exact = w.same(if is_sum(what.op) { Op::Iadd } else { Op::Isub }, &args);
    w.clamp(exact, what, extend == Op::Sext)
}

/// Computes saturating sums and differences without wider lanes.
fn saturated(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let (a, b, ty) = (what.args[0], what.args[1], what.ty);
    match what.op {
        Op::UaddSat => {
            // The second summand is limited to the difference between the maximum and the first one.
            let ones = w.constant(ty, u64::MAX);
            let room = w.same(Op::Xor, &[a, ones]);
            let more = w.same(Op::Umin, &[b, room]);
            w.same(Op::Iadd, &[a, more])
        }
        Op::UsubSat => {
            let larger = w.same(Op::Umax, &[a, b]);
            w.same(Op::Isub, &[larger, b])
        }
        op => {
            let result = w.same(if is_sum(op) { Op::Iadd } else { Op::Isub }, &[a, b]);
            // A sum overflows if its sign differs from the signs of both operands. A difference overflows if its
            // sign differs from that of the first operand, and the operands differ in sign.
            let changed = w.same(Op::Xor, &[a, result]);
            let other = w.same(Op::Xor, &[b, if is_sum(op) { result } else { a }]);
            let both = w.same(Op::And, &[changed, other]);
            let over = w.build().sign_mask(both);
            // The limit is MAX for positive numbers, MIN for negative ones.
            let bits = ty.kind.bits();
            let sign = w.shift(Op::Ashr, a, bits - 1);
            let max_value = w.constant(ty, (1 << (bits - 1)) - 1);
            let limit = w.same(Op::Xor, &[sign, max_value]);
            w.build().select(over, limit, result)
        }
    }
}

/// Computes a minimum or maximum by a comparison and a selection.
fn compared(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let cond = match what.op {
        Op::Smin => IntCond::Slt,
        Op::Smax => IntCond::Sgt,
        Op::Umin => IntCond::Ult,
        _ => IntCond::Ugt,
    };
    let (a, b) = (what.args[0], what.args[1]);
    let is_first = w.build().icmp(cond, a, b);
    w.build().select(is_first, a, b)
}

/// Computes a rotation by two shifts, which take their counts modulo the width.
fn rotated(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let (number, count, ty) = (what.args[0], what.args[1], what.ty);
    let bits = u64::from(ty.kind.bits());
    let back = match w.func.as_const_of_lanes(count) {
        Some(count) => w.constant(ty, (bits - count % bits) % bits),
        None => {
            let zero = w.constant(ty, 0);
            w.same(Op::Isub, &[zero, count])
        }
    };
    let left = w.same(Op::Shl, &[number, count]);
    let right = w.same(Op::Lshr, &[number, back]);
    w.same(Op::Or, &[left, right])
}

/// Counts bits in 32 bits.
fn counted(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let bits = what.ty.kind.bits();
    let mut number = w.extend(Op::Zext, what.args[0], Kind::I32);
    let ty = w.func.ty(number);
    if what.op == Op::Ctz {
        // A bit at the original width stops the count of trailing zeros there.
        let stop = w.constant(ty, 1 << bits);
        number = w.same(Op::Or, &[number, stop]);
    }
    let mut count = w.same(what.op, &[number]);
    if what.op == Op::Clz {
        let more = w.constant(ty, u64::from(32 - bits));
        count = w.same(Op::Isub, &[count, more]);
    }
    w.truncate(count, what)
}

/// Converts floats to 8 and 16 bits, through 32-bit integers.
fn float_to_small_int(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let number = w.make(Op::Fptosi, what.ty.with_kind(Kind::I32), &what.args);
    w.clamp(number, what, what.op == Op::Fptosi)
}

/// Converts integers of 8 and 16 bits to floats, through 32 bits, in which all are signed.
fn small_int_to_float(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let number = w.extend(extension(what.op), what.args[0], Kind::I32);
    w.make(Op::Sitofp, what.ty, &[number])
}

/// Converts halves to integers, through floats.
fn half_to_int(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let float = w.extend(Op::Fpext, what.args[0], Kind::F32);
    w.make(what.op, what.ty, &[float])
}

/// Converts integers to halves, through floats: integers that are not exact in float are infinite as halves.
fn int_to_half(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let float = w.make(what.op, what.ty.with_kind(Kind::F32), &what.args);
    w.make(Op::Fptrunc, what.ty, &[float])
}

/// Computes ops on halves in float. The second rounding is harmless, since float has more than twice the precision
/// of half plus two bits.
fn in_floats(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let args = w.extend_all(Op::Fpext, what, Kind::F32);
    if what.op == Op::Fcmp {
        return w.build().value(Op::Fcmp, what.ty, &args, what.attr.clone());
    }
    let result = w.same(what.op, &args);
    w.make(Op::Fptrunc, what.ty, &[result])
}

/// Computes a fused multiply-add of halves in double, where the product is exact. Rounding the sum twice is
/// harmless: a sum so near to the middle of two halves that double cannot distinguish them has more bits than
/// product and summand provide.
fn product_and_sum(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let args: Vec<Value> = what
        .args
        .iter()
        .map(|&arg| {
            let float = w.extend(Op::Fpext, arg, Kind::F32);
            w.extend(Op::Fpext, float, Kind::F64)
        })
        .collect();
    let product = w.same(Op::Fmul, &args[..2]);
    let sum = w.same(Op::Fadd, &[product, args[2]]);
    w.make(Op::Fptrunc, what.ty, &[sum])
}

/// Format of floating-point numbers.
struct FloatFormat {
    int: Kind,
    /// Number of bits of the fraction.
    fraction: u32,
    bias: f64,
    min_normal: f64,
}

impl FloatFormat {
    fn of(kind: Kind) -> FloatFormat {
        if kind == Kind::F32 {
            let min_normal = f64::from(f32::MIN_POSITIVE);
            return FloatFormat { int: Kind::I32, fraction: 23, bias: 127.0, min_normal };
        }
        FloatFormat { int: Kind::I64, fraction: 52, bias: 1023.0, min_normal: f64::MIN_POSITIVE }
    }

    /// Returns 2^fraction, whose lower bits are those of the whole number that is added to it.
    fn whole(&self) -> f64 {
        f64::from(self.fraction).exp2()
    }
}

/// Returns the bits of a number in a format.
fn float_bits(kind: Kind, number: f64) -> u64 {
    if kind == Kind::F32 { u64::from((number as f32).to_bits()) } else { number.to_bits() }
}

impl BlockWriter<'_> {
    fn number(&mut self, ty: Type, number: f64) -> Value {
        self.constant(ty, float_bits(ty.kind, number))
    }

    fn fcmp(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a).compared();
        self.build().value(Op::Fcmp, ty, &[a, b], Attr::FloatCond(cond))
    }

    fn select(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.make(Op::Select, ty, &[mask, a, b])
    }

    /// Writes the parts of a number that exponent and mantissa are computed from, unless the block has them already.
    fn normalized(&mut self, x: Value, format: &FloatFormat) -> Normalized {
        if let Some(&known) = self.normalized.get(&x) {
            return known;
        }
        let ty = self.func.ty(x);
        let size = self.same(Op::Fabs, &[x]);
        let min_normal = self.number(ty, format.min_normal);
        let is_small = self.fcmp(FloatCond::Olt, size, min_normal);
        let factor = self.number(ty, format.whole());
        let larger = self.same(Op::Fmul, &[size, factor]);
        let normal = self.select(is_small, larger, size);
        let bits = self.make(Op::Bitcast, ty.with_kind(format.int), &[normal]);
        let parts = Normalized { size, is_small, bits };
        self.normalized.insert(x, parts);
        parts
    }
}

/// Parts of a number.
#[derive(Clone, Copy)]
struct Normalized {
    /// Magnitude.
    size: Value,
    /// Whether it is no normal number.
    is_small: Value,
    /// Bits of the magnitude, of that times 2^fraction if it is no normal number.
    bits: Value,
}

/// Computes exponents from the bits. A whole number becomes a float in the lower bits of 2^fraction.
fn exponent(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let format = FloatFormat::of(what.ty.kind);
    let Normalized { size, is_small, bits } = w.normalized(what.args[0], &format);
    let field = w.shift(Op::Lshr, bits, format.fraction);
    let whole = w.constant(w.func.ty(field), float_bits(what.ty.kind, format.whole()));
    let sum = w.same(Op::Or, &[field, whole]);
    let sum = w.make(Op::Bitcast, what.ty, &[sum]);
    let bias = format.whole() + format.bias;
    let scaled_bias = w.number(what.ty, bias + f64::from(format.fraction));
    let bias = w.number(what.ty, bias);
    let bias = w.select(is_small, scaled_bias, bias);
    let exponent = w.same(Op::Fsub, &[sum, bias]);
    let infinity = w.number(what.ty, f64::INFINITY);
    let is_finite = w.fcmp(FloatCond::Olt, size, infinity);
    let exponent = w.select(is_finite, exponent, size);
    let zero = w.number(what.ty, 0.0);
    let is_zero = w.fcmp(FloatCond::Oeq, size, zero);
    let negative = w.number(what.ty, f64::NEG_INFINITY);
    w.select(is_zero, negative, exponent)
}

/// Computes mantissas from the bits. Zeros and infinity have a fraction of zero, which makes 1 of them.
fn mantissa(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let format = FloatFormat::of(what.ty.kind);
    let Normalized { bits, .. } = w.normalized(what.args[0], &format);
    let ty = w.func.ty(bits);
    let fractions = w.constant(ty, (1 << format.fraction) - 1);
    let fraction = w.same(Op::And, &[bits, fractions]);
    let one = w.constant(ty, float_bits(what.ty.kind, 1.0));
    let number = w.same(Op::Or, &[fraction, one]);
    let number = w.make(Op::Bitcast, what.ty, &[number]);
    let (zero, nan) = (w.number(what.ty, 0.0), w.number(what.ty, f64::NAN));
    let has_mantissa = w.fcmp(FloatCond::Oge, what.args[0], zero);
    w.select(has_mantissa, number, nan)
}

/// Multiplies by two powers of two, as one might be no normal number. The first product is exact. Added to 1.5 2^fraction,
/// an exponent is a whole number in the lower bits; shifted up, it is added to the exponent of 1.
fn scaled(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let format = FloatFormat::of(what.ty.kind);
    let &[x, exponent] = &what.args[..] else { unreachable!("it has two operands") };
    let base = w.number(what.ty, 1.5 * format.whole());
    let sum = w.same(Op::Fadd, &[exponent, base]);
    let bits = w.make(Op::Bitcast, what.ty.with_kind(format.int), &[sum]);
    let first = w.shift(Op::Lshr, bits, 1);
    let second = w.same(Op::Isub, &[bits, first]);
    let mut product = x;
    for power in [first, second] {
        let ty = w.func.ty(power);
        let field = w.shift(Op::Shl, power, format.fraction);
        let one = w.constant(ty, float_bits(what.ty.kind, 1.0));
        let factor = w.same(Op::Iadd, &[field, one]);
        let factor = w.make(Op::Bitcast, what.ty, &[factor]);
        product = w.same(Op::Fmul, &[product, factor]);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::{Effect, verify};

    const LANES: [u16; 6] = [1, 2, 3, 4, 16, 64];

    /// Returns a function that computes an op of its parameters, optionally with a constant as second operand.
    fn of(op: Op, result: Type, args: &[Type], known: Option<u64>) -> Function {
        let mut func = Function::new("f", result);
        let entry = func.add_block();
        let pointer = func.add_param(entry, Type::GLOBAL);
        let mut values: Vec<Value> = args.iter().map(|&ty| func.add_param(entry, ty)).collect();
        let mut b = Builder::new(&mut func, entry);
        if let Some(bits) = known {
            values[1] = b.iconst(args[1], bits);
        }
        let attr = if op == Op::Fcmp { Attr::FloatCond(FloatCond::Olt) } else { Attr::None };
        let value = b.value(op, result, &values, attr);
        b.effect(Op::Store, &[pointer, value], Attr::Mem(grus_ir::Mem::natural(result)));
        b.ret(&[value]);
        func
    }

    /// Returns a function for every form that a rule applies to, and some related ones.
    fn forms() -> Vec<Function> {
        let mut found = Vec::new();
        let (ints, floats) = ([Kind::I8, Kind::I16, Kind::I32, Kind::I64], [Kind::F16, Kind::F32, Kind::F64]);
        let ops: Vec<Op> = Op::ALL.iter().copied().filter(|&op| HAS_RULES[op as usize]).collect();
        for (op, lanes) in ops.iter().flat_map(|&op| LANES.map(|lanes| (op, lanes))) {
            let vector = |kind| Type::vector(kind, lanes);
            match op {
                Op::Fptosi | Op::Fptoui | Op::Sitofp | Op::Uitofp => {
                    for (int, float) in
                        ints.iter().flat_map(|&int| floats.map(|float| (vector(int), vector(float))))
                    {
                        let (to, from) =
                            if matches!(op, Op::Fptosi | Op::Fptoui) { (int, float) } else { (float, int) };
                        found.push(of(op, to, &[from], None));
                    }
                }
                Op::Fcmp => {
                    found
                        .extend(floats.map(|kind| of(op, vector(kind).compared(), &[vector(kind); 2], None)));
                }
                Op::Fma => found.extend(floats.map(|kind| of(op, vector(kind), &[vector(kind); 3], None))),
                Op::Fsqrt
                | Op::Ffloor
                | Op::Fceil
                | Op::Ftrunc
                | Op::Fnearest
                | Op::Fgetexp
                | Op::Fgetmant => {
                    found.extend(floats.map(|kind| of(op, vector(kind), &[vector(kind)], None)));
                }
                Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Fscale => {
                    found.extend(floats.map(|kind| of(op, vector(kind), &[vector(kind); 2], None)));
                }
                Op::Popcnt | Op::Clz | Op::Ctz => {
                    found.extend(ints.map(|kind| of(op, vector(kind), &[vector(kind)], None)));
                }
                _ => {
                    for known in [None, Some(0), Some(3), Some(7)] {
                        found.extend(ints.map(|kind| of(op, vector(kind), &[vector(kind); 2], known)));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn nothing_is_left_that_a_machine_lacks() {
        for &target in ALL {
            let mut changed = 0;
            for func in forms() {
                let legal = legalize(&func, target);
                changed += usize::from(matches!(legal, Cow::Owned(_)));
                verify(&legal, None).unwrap_or_else(|why| panic!("{why}\n{func}\n{legal}"));
                let lacking = legal.instructions().find(|inst| {
                    inst.op.effect() == Effect::Pure
                        && replacement(target, &legal, inst.op, inst.ty, &inst.args).is_some()
                });
                assert!(lacking.is_none(), "{target:?}: {lacking:?}\n{legal}");
            }
            assert!(changed > 100, "{target:?}: {changed}");
        }
    }

    #[test]
    fn what_a_machine_has_stays_as_it_is() {
        let ty = Type::vector(Kind::I64, 8);
        let func = of(Op::Smin, ty, &[ty; 2], None);
        assert!(matches!(legalize(&func, Avx512), Cow::Borrowed(_)));
        assert!(matches!(legalize(&func, Avx2), Cow::Owned(_)));
    }
}
