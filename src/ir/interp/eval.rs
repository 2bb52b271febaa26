//! What each pure op computes, on lanes held as zero-extended bits. The constant
//! folder uses it too, so folding cannot disagree with running.

use smallvec::SmallVec;

use crate::ir::{Attr, FloatCond, IntCond, Kind, Op, Type};
use crate::support::f16;

/// Lanes of a value, each zero-extended to 64 bits.
pub type Lanes = SmallVec<[u64; 4]>;

/// The result of a pure op other than addresses and queries; none for any other op.
pub fn eval(op: Op, ty: Type, attr: &Attr, arg_types: &[Type], args: &[&Lanes]) -> Option<Lanes> {
    let from = arg_types.first().copied().unwrap_or(ty);
    let each1 = |f: &dyn Fn(u64) -> u64| args[0].iter().map(|&a| f(a)).collect();
    let each2 = |f: &dyn Fn(u64, u64) -> u64| args[0].iter().zip(args[1]).map(|(&a, &b)| f(a, b)).collect();
    Some(match op {
        Op::Iconst | Op::Fconst => match attr {
            Attr::Int(n) => SmallVec::from_elem(*n, 1),
            _ => return None,
        },
        Op::Iadd
        | Op::Isub
        | Op::Imul
        | Op::Udiv
        | Op::Sdiv
        | Op::Urem
        | Op::Srem
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Shl
        | Op::Lshr
        | Op::Ashr
        | Op::Rotl
        | Op::Smin
        | Op::Smax
        | Op::Umin
        | Op::Umax
        | Op::Smulhi
        | Op::Umulhi
        | Op::SaddSat
        | Op::UaddSat
        | Op::SsubSat
        | Op::UsubSat => {
            let bits = ty.kind.bits();
            each2(&|a, b| int2(op, bits, a, b))
        }
        Op::Clz | Op::Ctz | Op::Popcnt | Op::Iabs => {
            let bits = ty.kind.bits();
            each1(&|a| int1(op, bits, a))
        }
        Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Fcopysign => each2(&|a, b| float2(op, ty.kind, a, b)),
        Op::Fma => (0..args[0].len()).map(|i| fma(ty.kind, args[0][i], args[1][i], args[2][i])).collect(),
        Op::Fneg | Op::Fabs | Op::Fsqrt | Op::Ffloor | Op::Fceil | Op::Ftrunc | Op::Fnearest => {
            each1(&|a| float1(op, ty.kind, a))
        }
        Op::Icmp => {
            let Attr::IntCond(cond) = *attr else { return None };
            let bits = from.kind.bits();
            let yes = truth(from);
            each2(&|a, b| if compare_int(cond, bits, a, b) { yes } else { 0 })
        }
        Op::Fcmp => {
            let Attr::FloatCond(cond) = *attr else { return None };
            let yes = truth(from);
            each2(&|a, b| if compare_float(cond, get(from.kind, a), get(from.kind, b)) { yes } else { 0 })
        }
        Op::Zext => args[0].clone(),
        Op::Sext => each1(&|a| mask(ty.kind.bits(), signed(from.kind.bits(), a) as u64)),
        Op::Trunc => each1(&|a| mask(ty.kind.bits(), a)),
        Op::Fpext | Op::Fptrunc => each1(&|a| put(ty.kind, get(from.kind, a))),
        Op::Sitofp => each1(&|a| int_to_float(ty.kind, i128::from(signed(from.kind.bits(), a)))),
        Op::Uitofp => each1(&|a| int_to_float(ty.kind, i128::from(a))),
        Op::Fptosi => each1(&|a| to_signed(ty.kind.bits(), get(from.kind, a))),
        Op::Fptoui => each1(&|a| to_unsigned(ty.kind.bits(), get(from.kind, a))),
        Op::Bitcast => bitcast(from, ty, args[0]),
        Op::Splat => SmallVec::from_elem(args[0][0], usize::from(ty.lanes)),
        Op::Extract => match attr {
            Attr::Int(lane) => SmallVec::from_elem(args[0][*lane as usize], 1),
            _ => return None,
        },
        Op::Signs => {
            let top = from.kind.bits() - 1;
            let bits = args[0].iter().enumerate().map(|(i, &lane)| (lane >> top & 1) << i);
            SmallVec::from_elem(bits.fold(0, |all, bit| all | bit), 1)
        }
        Op::Insert => match attr {
            Attr::Int(lane) => {
                let mut lanes = args[0].clone();
                lanes[*lane as usize] = args[1][0];
                lanes
            }
            _ => return None,
        },
        Op::Shuffle => match attr {
            Attr::Lanes(picks) => {
                let both: Lanes = args[0].iter().chain(args[1]).copied().collect();
                picks.iter().map(|&p| both[usize::from(p)]).collect()
            }
            _ => return None,
        },
        Op::Build => args.iter().map(|a| a[0]).collect(),
        Op::Select => {
            let chosen = if args[0][0] != 0 { 1 } else { 2 };
            args[chosen].clone()
        }
        Op::Vselect => {
            let top = from.kind.bits() - 1;
            (0..args[0].len())
                .map(|i| if args[0][i] >> top & 1 == 1 { args[1][i] } else { args[2][i] })
                .collect()
        }
        Op::PtrAdd => each2(&u64::wrapping_add),
        Op::Alloca
        | Op::GlobalAddr
        | Op::LocalAddr
        | Op::Load
        | Op::Store
        | Op::MemCopy
        | Op::MemZero
        | Op::AtomicRmw
        | Op::AtomicCas
        | Op::AtomicLoad
        | Op::AtomicStore
        | Op::Fence
        | Op::Trap
        | Op::Call
        | Op::CallHelper
        | Op::ImageQuery
        | Op::ImageLoad
        | Op::ImageStore
        | Op::WorkItem
        | Op::Barrier
        | Op::AsyncCopy
        | Op::GroupReduce
        | Op::GroupScan
        | Op::GroupScanBefore
        | Op::GroupBroadcast
        | Op::Jump
        | Op::BrIf
        | Op::Switch
        | Op::Ret
        | Op::Unreachable => return None,
    })
}

/// The low `bits` bits.
pub fn mask(bits: u32, value: u64) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

fn signed(bits: u32, value: u64) -> i64 {
    if bits >= 64 { value as i64 } else { (value << (64 - bits)) as i64 >> (64 - bits) }
}

fn truth(operand: Type) -> u64 {
    if operand.is_vector() { mask(operand.kind.bits(), u64::MAX) } else { 1 }
}

/// Two-operand integer ops on `bits` bits.
pub fn int2(op: Op, bits: u32, a: u64, b: u64) -> u64 {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    let count = (b as u32) & (bits - 1);
    let (min, max) = (i128::from(signed(bits, 1 << (bits - 1))), i128::from(mask(bits, u64::MAX) >> 1));
    let clamp = |wide: i128| wide.clamp(min, max) as u64;
    let result = match op {
        Op::Iadd => a.wrapping_add(b),
        Op::Isub => a.wrapping_sub(b),
        Op::Imul => a.wrapping_mul(b),
        Op::Udiv => a.checked_div(b).unwrap_or(a),
        Op::Urem => a.checked_rem(b).unwrap_or(0),
        Op::Sdiv => {
            if sb == 0 {
                a
            } else {
                sa.wrapping_div(sb) as u64
            }
        }
        Op::Srem => {
            if sb == 0 {
                0
            } else {
                sa.wrapping_rem(sb) as u64
            }
        }
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => a << count,
        Op::Lshr => a >> count,
        Op::Ashr => (sa >> count) as u64,
        Op::Rotl if count == 0 => a,
        Op::Rotl => a << count | a >> (bits - count),
        Op::Smin => sa.min(sb) as u64,
        Op::Smax => sa.max(sb) as u64,
        Op::Umin => a.min(b),
        Op::Umax => a.max(b),
        Op::Smulhi => ((i128::from(sa) * i128::from(sb)) >> bits) as u64,
        Op::Umulhi => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        Op::SaddSat => clamp(i128::from(sa) + i128::from(sb)),
        Op::SsubSat => clamp(i128::from(sa) - i128::from(sb)),
        Op::UaddSat => (u128::from(a) + u128::from(b)).min(u128::from(mask(bits, u64::MAX))) as u64,
        Op::UsubSat => a.saturating_sub(b),
        _ => unreachable!("{} is not an integer op of two operands", op.name()),
    };
    mask(bits, result)
}

fn int1(op: Op, bits: u32, a: u64) -> u64 {
    let result = match op {
        Op::Clz => u64::from(a.leading_zeros() - (64 - bits)),
        Op::Ctz => u64::from(a.trailing_zeros().min(bits)),
        Op::Popcnt => u64::from(a.count_ones()),
        _ => signed(bits, a).wrapping_abs() as u64,
    };
    mask(bits, result)
}

/// Exact widening to f64.
fn get(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::F16 => f64::from(f16::to_f32(bits as u16)),
        Kind::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// One rounding from f64.
fn put(kind: Kind, value: f64) -> u64 {
    match kind {
        Kind::F16 => u64::from(f16::from_f64(value)),
        Kind::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

fn float2(op: Op, kind: Kind, a: u64, b: u64) -> u64 {
    if op == Op::Fcopysign {
        let sign = 1u64 << (kind.bits() - 1);
        return (a & !sign) | (b & sign);
    }
    if kind == Kind::F32 {
        let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match op {
            Op::Fadd => a + b,
            Op::Fsub => a - b,
            Op::Fmul => a * b,
            _ => a / b,
        };
        return u64::from(result.to_bits());
    }
    let (a, b) = (get(kind, a), get(kind, b));
    // For half: f64 has more than twice the precision plus two bits, so rounding twice is harmless.
    put(
        kind,
        match op {
            Op::Fadd => a + b,
            Op::Fsub => a - b,
            Op::Fmul => a * b,
            _ => a / b,
        },
    )
}

fn fma(kind: Kind, a: u64, b: u64, c: u64) -> u64 {
    match kind {
        Kind::F32 => {
            let f = |x: u64| f32::from_bits(x as u32);
            u64::from(f(a).mul_add(f(b), f(c)).to_bits())
        }
        _ => put(kind, get(kind, a).mul_add(get(kind, b), get(kind, c))),
    }
}

fn float1(op: Op, kind: Kind, a: u64) -> u64 {
    let sign = 1u64 << (kind.bits() - 1);
    match op {
        Op::Fneg => return a ^ sign,
        Op::Fabs => return a & !sign,
        _ => {}
    }
    let value = get(kind, a);
    put(
        kind,
        match op {
            // Innocuous double rounding, as above: f64 has 2p+2 bits for f32 and f16.
            Op::Fsqrt => value.sqrt(),
            Op::Ffloor => value.floor(),
            Op::Fceil => value.ceil(),
            Op::Ftrunc => value.trunc(),
            _ => value.round_ties_even(),
        },
    )
}

fn compare_int(cond: IntCond, bits: u32, a: u64, b: u64) -> bool {
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

fn compare_float(cond: FloatCond, a: f64, b: f64) -> bool {
    match cond {
        FloatCond::Oeq => a == b,
        FloatCond::Une => a != b,
        FloatCond::Olt => a < b,
        FloatCond::Ole => a <= b,
        FloatCond::Ogt => a > b,
        FloatCond::Oge => a >= b,
        FloatCond::Ord => !a.is_nan() && !b.is_nan(),
        FloatCond::Uno => a.is_nan() || b.is_nan(),
    }
}

fn int_to_float(kind: Kind, value: i128) -> u64 {
    match kind {
        Kind::F64 => (value as f64).to_bits(),
        Kind::F32 => u64::from((value as f32).to_bits()),
        // Every integer a half can tell from infinity is exact in f64 but for its own rounding.
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

/// Regroups bits, lowest lane first.
fn bitcast(from: Type, to: Type, lanes: &Lanes) -> Lanes {
    let (narrow, wide) = (from.kind.bytes() as usize, to.kind.bytes() as usize);
    let bytes: Vec<u8> = lanes.iter().flat_map(|l| l.to_le_bytes()[..narrow].to_vec()).collect();
    bytes
        .chunks(wide)
        .map(|chunk| chunk.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)))
        .collect()
}
