//! Evaluation of pure ops on lanes held as zero-extended bits. The constant folder uses it too, so that
//! folding cannot disagree with execution.

use smallvec::SmallVec;

use crate::{
    Address, Attr, Choice, Class, Comparison, Constant, Conversion, FloatBinary, FloatCond, FloatTernary,
    FloatUnary, IntBinary, IntCond, IntUnary, Kind, LaneOp, MaskOp, Op, Type,
};
use grus_support::f16;

/// Lanes of a value, each zero-extended to 64 bits.
pub type LaneBits = SmallVec<[u64; 4]>;

/// Evaluates a pure op; none for ops with effects, addresses and queries.
pub fn eval(op: Op, ty: Type, attr: &Attr, arg_types: &[Type], args: &[&LaneBits]) -> Option<LaneBits> {
    let from = arg_types.first().copied().unwrap_or(ty);
    let bits = ty.kind.bits();
    let each1 = |f: &dyn Fn(u64) -> u64| args[0].iter().map(|&a| f(a)).collect();
    let each2 = |f: &dyn Fn(u64, u64) -> u64| args[0].iter().zip(args[1]).map(|(&a, &b)| f(a, b)).collect();
    Some(match op.class() {
        Class::Constant(Constant::Iconst | Constant::Fconst) => match attr {
            Attr::Int(n) => SmallVec::from_elem(*n, 1),
            _ => return None,
        },
        Class::IntBinary(op) => each2(&|a, b| int2(op, bits, a, b)),
        Class::IntUnary(op) => each1(&|a| int1(op, bits, a)),
        Class::FloatBinary(op) => each2(&|a, b| float2(op, ty.kind, a, b)),
        Class::FloatUnary(op) => each1(&|a| float1(op, ty.kind, a)),
        Class::FloatTernary(FloatTernary::Fma) => {
            (0..args[0].len()).map(|i| fma(ty.kind, args[0][i], args[1][i], args[2][i])).collect()
        }
        Class::Comparison(Comparison::Icmp) => {
            let Attr::IntCond(cond) = *attr else { return None };
            let bits = from.kind.bits();
            each2(&|a, b| u64::from(compare_int(cond, bits, a, b)))
        }
        Class::Comparison(Comparison::Fcmp) => {
            let Attr::FloatCond(cond) = *attr else { return None };
            each2(&|a, b| u64::from(compare_floats(cond, from.kind, a, b)))
        }
        Class::Conversion(op) => each1(&|a| convert(op, from.kind, ty.kind, a)),
        Class::LaneOp(op) => return lane_op(op, ty, attr, from, args),
        Class::MaskOp(op) => SmallVec::from_elem(mask_op(op, args[0]), 1),
        Class::Choice(Choice::Select) => {
            let cond = |i: usize| args[0][if from.is_vector() { i } else { 0 }] != 0;
            (0..args[1].len()).map(|i| if cond(i) { args[1][i] } else { args[2][i] }).collect()
        }
        Class::Address(Address::PtrAdd) => each2(&u64::wrapping_add),
        Class::Address(Address::Alloca | Address::GlobalAddr | Address::LocalAddr)
        | Class::MemoryOp(_)
        | Class::CallOp(_)
        | Class::ItemOp(_)
        | Class::GroupOp(_)
        | Class::SubGroupOp(_)
        | Class::Terminator(_) => return None,
    })
}

fn convert(op: Conversion, from: Kind, to: Kind, a: u64) -> u64 {
    let bits = to.bits();
    match op {
        Conversion::Zext => a,
        Conversion::Sext => mask(bits, signed(from.bits(), a) as u64),
        Conversion::Trunc => mask(bits, a),
        Conversion::Fpext | Conversion::Fptrunc => round(to, widen(from, a)),
        Conversion::Sitofp => int_to_float(to, i128::from(signed(from.bits(), a))),
        Conversion::Uitofp => int_to_float(to, i128::from(a)),
        Conversion::Fptosi => to_signed(bits, widen(from, a)),
        Conversion::Fptoui => to_unsigned(bits, widen(from, a)),
    }
}

fn mask_op(op: MaskOp, lanes: &LaneBits) -> u64 {
    let is_set = |&lane: &u64| lane != 0;
    match op {
        MaskOp::Movemask => lanes.iter().enumerate().fold(0, |all, (i, &lane)| all | lane << i),
        MaskOp::Any => u64::from(lanes.iter().any(is_set)),
        MaskOp::All => u64::from(lanes.iter().all(is_set)),
        MaskOp::MaskFirstSet => lanes.iter().position(is_set).unwrap_or(lanes.len()) as u64,
    }
}

fn lane_op(op: LaneOp, ty: Type, attr: &Attr, from: Type, args: &[&LaneBits]) -> Option<LaneBits> {
    Some(match (op, attr) {
        (LaneOp::Bitcast, _) => bitcast(from, ty, args[0]),
        (LaneOp::Splat, _) => SmallVec::from_elem(args[0][0], usize::from(ty.lanes)),
        (LaneOp::BuildVector, _) => args.iter().map(|a| a[0]).collect(),
        (LaneOp::Iota, _) => (0..u64::from(ty.lanes)).map(|lane| mask(ty.kind.bits(), lane)).collect(),
        (LaneOp::Permute, _) => args[1].iter().map(|&lane| args[0][lane as usize % args[0].len()]).collect(),
        (LaneOp::ExtractAt, _) => SmallVec::from_elem(args[0][args[1][0] as usize % args[0].len()], 1),
        (LaneOp::InsertAt, _) => {
            let mut lanes = args[0].clone();
            let at = args[1][0] as usize % lanes.len();
            lanes[at] = args[2][0];
            lanes
        }
        (LaneOp::Extract, Attr::Int(lane)) => SmallVec::from_elem(args[0][*lane as usize], 1),
        (LaneOp::Insert, Attr::Int(lane)) => {
            let mut lanes = args[0].clone();
            lanes[*lane as usize] = args[1][0];
            lanes
        }
        (LaneOp::Shuffle, Attr::Lanes(picks)) => {
            let both: LaneBits = args[0].iter().chain(args[1]).copied().collect();
            picks.iter().map(|&p| both[usize::from(p)]).collect()
        }
        (LaneOp::Extract | LaneOp::Insert | LaneOp::Shuffle, _) => return None,
    })
}

/// Returns the low `bits` bits.
pub fn mask(bits: u32, value: u64) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// Returns the low `bits` bits as a signed number.
pub fn signed(bits: u32, value: u64) -> i64 {
    if bits >= 64 { value as i64 } else { (value << (64 - bits)) as i64 >> (64 - bits) }
}

/// Evaluates a two-operand integer op on `bits` bits.
pub fn int2(op: IntBinary, bits: u32, a: u64, b: u64) -> u64 {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    let count = (b as u32) & (bits - 1);
    let (min, max) = (i128::from(signed(bits, 1 << (bits - 1))), i128::from(mask(bits, u64::MAX) >> 1));
    let clamp = |wide: i128| wide.clamp(min, max) as u64;
    let result = match op {
        IntBinary::Iadd => a.wrapping_add(b),
        IntBinary::Isub => a.wrapping_sub(b),
        IntBinary::Imul => a.wrapping_mul(b),
        IntBinary::Udiv => a.checked_div(b).unwrap_or(a),
        IntBinary::Urem => a.checked_rem(b).unwrap_or(0),
        IntBinary::Sdiv => {
            if sb == 0 {
                a
            } else {
                sa.wrapping_div(sb) as u64
            }
        }
        IntBinary::Srem => {
            if sb == 0 {
                0
            } else {
                sa.wrapping_rem(sb) as u64
            }
        }
        IntBinary::And => a & b,
        IntBinary::Or => a | b,
        IntBinary::Xor => a ^ b,
        IntBinary::Shl => a << count,
        IntBinary::Lshr => a >> count,
        IntBinary::Ashr => (sa >> count) as u64,
        IntBinary::Rotl if count == 0 => a,
        IntBinary::Rotl => a << count | a >> (bits - count),
        IntBinary::Smin => sa.min(sb) as u64,
        IntBinary::Smax => sa.max(sb) as u64,
        IntBinary::Umin => a.min(b),
        IntBinary::Umax => a.max(b),
        IntBinary::Smulhi => ((i128::from(sa) * i128::from(sb)) >> bits) as u64,
        IntBinary::Umulhi => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        IntBinary::SaddSat => clamp(i128::from(sa) + i128::from(sb)),
        IntBinary::SsubSat => clamp(i128::from(sa) - i128::from(sb)),
        IntBinary::UaddSat => (u128::from(a) + u128::from(b)).min(u128::from(mask(bits, u64::MAX))) as u64,
        IntBinary::UsubSat => a.saturating_sub(b),
    };
    mask(bits, result)
}

fn int1(op: IntUnary, bits: u32, a: u64) -> u64 {
    let result = match op {
        IntUnary::Clz => u64::from(a.leading_zeros() - (64 - bits)),
        IntUnary::Ctz => u64::from(a.trailing_zeros().min(bits)),
        IntUnary::Popcnt => u64::from(a.count_ones()),
        IntUnary::Iabs => signed(bits, a).wrapping_abs() as u64,
    };
    mask(bits, result)
}

/// Widens to f64, which is exact.
fn widen(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::F16 => f64::from(f16::to_f32(bits as u16)),
        Kind::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Rounds from f64 once.
fn round(kind: Kind, value: f64) -> u64 {
    match kind {
        Kind::F16 => u64::from(f16::from_f64(value)),
        Kind::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Evaluates a two-operand floating-point op.
pub(super) fn float2(op: FloatBinary, kind: Kind, a: u64, b: u64) -> u64 {
    // Rounding twice gives the correct result because f64 has more than twice the precision of float and half
    // plus two bits.
    let (x, y) = (widen(kind, a), widen(kind, b));
    match op {
        FloatBinary::Fadd => round(kind, x + y),
        FloatBinary::Fsub => round(kind, x - y),
        FloatBinary::Fmul => round(kind, x * y),
        FloatBinary::Fdiv => round(kind, x / y),
        FloatBinary::Fcopysign => {
            let sign = 1u64 << (kind.bits() - 1);
            (a & !sign) | (b & sign)
        }
        // Two factors, as one might be no normal number. The first product is exact.
        FloatBinary::Fscale => {
            let first = (y / 2.0).floor();
            round(kind, x * first.exp2() * (y - first).exp2())
        }
    }
}

fn fma(kind: Kind, a: u64, b: u64, c: u64) -> u64 {
    match kind {
        Kind::F32 => {
            let f = |x: u64| f32::from_bits(x as u32);
            u64::from(f(a).mul_add(f(b), f(c)).to_bits())
        }
        _ => round(kind, widen(kind, a).mul_add(widen(kind, b), widen(kind, c))),
    }
}

fn float1(op: FloatUnary, kind: Kind, a: u64) -> u64 {
    let sign = 1u64 << (kind.bits() - 1);
    let value = widen(kind, a);
    match op {
        FloatUnary::Fneg => a ^ sign,
        FloatUnary::Fabs => a & !sign,
        // Rounding twice is correct for the same reason as in `float2`.
        FloatUnary::Fsqrt => round(kind, value.sqrt()),
        FloatUnary::Ffloor => round(kind, value.floor()),
        FloatUnary::Fceil => round(kind, value.ceil()),
        FloatUnary::Ftrunc => round(kind, value.trunc()),
        FloatUnary::Fnearest => round(kind, value.round_ties_even()),
        FloatUnary::Fgetexp => round(kind, exponent(value)),
        FloatUnary::Fgetmant => round(kind, mantissa(value)),
    }
}

/// Returns floor(log2 |x|); -infinity for zeros, infinity for infinities.
fn exponent(x: f64) -> f64 {
    match x.abs() {
        0.0 => f64::NEG_INFINITY,
        size if !size.is_finite() => size,
        size => f64::from(power_below(size)),
    }
}

/// Returns x divided by a power of two, in [1, 2); 1 for zeros and infinity, NaN for negative numbers.
fn mantissa(x: f64) -> f64 {
    match x {
        0.0 | f64::INFINITY => 1.0,
        x if x > 0.0 => {
            let normal = if x.is_normal() { x } else { x * 2f64.powi(54) };
            f64::from_bits(normal.to_bits() & ((1 << 52) - 1) | 1f64.to_bits())
        }
        _ => f64::NAN,
    }
}

/// Returns floor(log2 x) of a positive finite number.
fn power_below(x: f64) -> i32 {
    let field = |x: f64| (x.to_bits() >> 52) as i32 - 1023;
    if x.is_normal() { field(x) } else { field(x * 2f64.powi(54)) - 54 }
}

/// Compares two integers of this number of bits, of which the rest is zero.
pub fn compare_int(cond: IntCond, bits: u32, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    match cond {
        IntCond::Eq => a == b,
        IntCond::Ne => a != b,
        IntCond::Slt => sa < sb,
        IntCond::Sle => sa <= sb,
        IntCond::Sgt => sa > sb,
        IntCond::Sge => sa >= sb,
        IntCond::Ult => a < b,
        IntCond::Ule => a <= b,
        IntCond::Ugt => a > b,
        IntCond::Uge => a >= b,
    }
}

/// Evaluates a comparison of floating-point numbers given by their bits.
pub(super) fn compare_floats(cond: FloatCond, kind: Kind, a: u64, b: u64) -> bool {
    let outcome = match widen(kind, a).partial_cmp(&widen(kind, b)) {
        Some(std::cmp::Ordering::Less) => FloatCond::LESS,
        Some(std::cmp::Ordering::Equal) => FloatCond::EQUAL,
        Some(std::cmp::Ordering::Greater) => FloatCond::GREATER,
        None => FloatCond::UNORDERED,
    };
    cond.outcomes() & outcome != 0
}

fn int_to_float(kind: Kind, value: i128) -> u64 {
    match kind {
        Kind::F64 => (value as f64).to_bits(),
        Kind::F32 => u64::from((value as f32).to_bits()),
        // Every integer below the overflow threshold of half is exact in f64, so only the conversion to half
        // rounds.
        _ => u64::from(f16::from_f64(value.clamp(-(1 << 40), 1 << 40) as f64)),
    }
}

fn to_signed(bits: u32, value: f64) -> u64 {
    let (min, max) = (signed(bits, 1 << (bits - 1)), (mask(bits, u64::MAX) >> 1) as i64);
    mask(bits, (value as i64).clamp(min, max) as u64)
}

fn to_unsigned(bits: u32, value: f64) -> u64 {
    (value as u64).min(mask(bits, u64::MAX))
}

/// Reinterprets the bits of the lanes, lowest lane first.
fn bitcast(from: Type, to: Type, lanes: &LaneBits) -> LaneBits {
    let (narrow, wide) = (from.kind.bytes() as usize, to.kind.bytes() as usize);
    let bytes: Vec<u8> = lanes.iter().flat_map(|l| l.to_le_bytes()[..narrow].to_vec()).collect();
    bytes
        .chunks(wide)
        .map(|chunk| chunk.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)))
        .collect()
}
