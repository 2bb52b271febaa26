//! Ranges of floats, by the operations that compute them. A conversion to integers need not saturate where the number
//! is in their range.

use grus_ir::interp::signed;
use grus_ir::{Attr, Function, Inst, IntCond, Kind, Op, Value};

// Arbitrary: quotients of integers of 32 bits are six operations away from these.
const MAX_DEPTH: u32 = 8;

/// Bounds of a value, both included.
type Range<T> = Option<(T, T)>;

/// Checks whether a float, or each lane of a vector, is known to be a number that an integer type has after truncation.
pub fn is_in_range(func: &Function, value: Value, bits: u32, is_signed: bool) -> bool {
    let top = 2f64.powi(bits.cast_signed() - i32::from(is_signed));
    let bottom = if is_signed { -top } else { 0.0 };
    float_range(func, value, MAX_DEPTH).is_some_and(|(min, max)| min.trunc() >= bottom && max < top)
}

/// Returns the range of a `float` or `double` that is not NaN.
fn float_range(func: &Function, value: Value, depth: u32) -> Range<f64> {
    let inst = func.def_inst(value).filter(|_| depth > 0)?;
    let kind = inst.ty.kind;
    let of = |at: usize| float_range(func, inst.args[at], depth - 1);
    // Operations are monotonic, and so is their rounding.
    let rounded = |x: f64| if kind == Kind::F32 { f64::from(x as f32) } else { x };
    let (min, max) = match inst.op {
        Op::Fconst => {
            let bits = inst.int();
            let number =
                if kind == Kind::F32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) };
            (number, number)
        }
        Op::Splat => of(0)?,
        Op::Uitofp => {
            let (min, max) = int_range(func, inst.args[0], depth - 1);
            (rounded_int(min.into(), kind), rounded_int(max.into(), kind))
        }
        Op::Sitofp => {
            let (min, max) = signed_range(func, inst.args[0], depth - 1);
            (rounded_int(min.into(), kind), rounded_int(max.into(), kind))
        }
        Op::Ftrunc => {
            let (min, max) = of(0)?;
            (min.trunc(), max.trunc())
        }
        Op::Fnearest => {
            let (min, max) = of(0)?;
            (min.round_ties_even(), max.round_ties_even())
        }
        Op::Fmul => corners(of(0)?, of(1)?, |x, y| rounded(x * y)),
        Op::Fdiv => {
            let divisor = of(1).filter(|&(min, _)| min > 0.0)?;
            corners(of(0)?, divisor, |x, y| rounded(x / y))
        }
        _ => return None,
    };
    let is_known = matches!(kind, Kind::F32 | Kind::F64) && min.is_finite() && max.is_finite();
    is_known.then_some((min, max))
}

/// Returns the range of an operation that is monotonic in each operand.
fn corners(a: (f64, f64), b: (f64, f64), of: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    let all = [of(a.0, b.0), of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)];
    all.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| (min.min(x), max.max(x)))
}

/// Returns an integer as a number of a kind.
fn rounded_int(number: i128, kind: Kind) -> f64 {
    if kind == Kind::F32 { f64::from(number as f32) } else { number as f64 }
}

/// Returns the range of an integer as signed number.
fn signed_range(func: &Function, value: Value, depth: u32) -> (i64, i64) {
    let bits = func.ty(value).kind.bits();
    let (min, max) = int_range(func, value, depth);
    let top = u64::MAX >> (65 - bits);
    if max <= top {
        return (min as i64, max as i64);
    }
    let narrow = func.def_inst(value).filter(|inst| depth > 0 && inst.op == Op::Sext);
    narrow.map_or((signed(bits, top + 1), top as i64), |inst| signed_range(func, inst.args[0], depth - 1))
}

/// Returns the range of an integer as unsigned number.
fn int_range(func: &Function, value: Value, depth: u32) -> (u64, u64) {
    let full = (0, u64::MAX >> (64 - func.ty(value).kind.bits()));
    if let Some(bits) = func.as_const_of_lanes(value) {
        return (bits, bits);
    }
    let Some(inst) = func.def_inst(value).filter(|_| depth > 0) else { return full };
    let of = |at: usize| int_range(func, inst.args[at], depth - 1);
    match inst.op {
        Op::Zext if !func.ty(inst.args[0]).is_mask() => of(0),
        Op::Splat => of(0),
        Op::And => (0, of(0).1.min(of(1).1)),
        Op::Lshr => {
            let count = func.as_const_of_lanes(inst.args[1]).filter(|&by| by < inst.ty.kind.bits().into());
            count.map_or(full, |by| (of(0).0 >> by, of(0).1 >> by))
        }
        Op::Umax | Op::Umin => {
            let pick = if inst.op == Op::Umax { u64::max } else { u64::min };
            let (a, b) = (of(0), of(1));
            (pick(a.0, b.0), pick(a.1, b.1))
        }
        Op::Select => {
            let (a, mut b) = (of(1), of(2));
            if replaces_zero(func, inst) {
                b.0 = b.0.max(1);
            }
            (a.0.min(b.0), a.1.max(b.1))
        }
        _ => full,
    }
}

/// Checks whether a selection returns its last operand only where that is not zero.
fn replaces_zero(func: &Function, select: &Inst) -> bool {
    func.def_inst(select.args[0]).is_some_and(|test| {
        test.op == Op::Icmp
            && test.attr == Attr::IntCond(IntCond::Eq)
            && test.args[0] == select.args[2]
            && func.is_zero(test.args[1])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use grus_ir::parse_module;

    /// Checks the range of the last float of a function.
    #[track_caller]
    fn check(body: &str, expect: Range<f64>) {
        let text = format!(
            "func f0 \"k\" void {{\nb0(v0: i32x8, v1: i32x8, v2: i16x8, v3: f32x8, v4: f64x8):\n{body}ret\n}}\n"
        );
        let module = parse_module(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let func = module.funcs.values().next().expect("there is one");
        let last = func.instructions().filter_map(|inst| inst.result).last().expect("there is one");
        assert_eq!(float_range(func, last, MAX_DEPTH), expect, "{text}");
    }

    #[test]
    fn numbers_from_integers() {
        check("v5 = uitofp.f64x8 v0\n", Some((0.0, f64::from(u32::MAX))));
        check("v5 = uitofp.f32x8 v0\n", Some((0.0, 4_294_967_296.0)));
        check("v5 = sitofp.f64x8 v0\n", Some((f64::from(i32::MIN), f64::from(i32::MAX))));
        check("v5 = sext.i32x8 v2\nv6 = sitofp.f32x8 v5\n", Some((-32768.0, 32767.0)));
        check("v5 = zext.i32x8 v2\nv6 = sitofp.f32x8 v5\n", Some((0.0, 65535.0)));
        check("v5 = fmul.f32x8 v3, v3\n", None);
    }

    #[test]
    fn quotients() {
        let numbers = "v5 = iconst.i32 1\nv6 = splat.i32x8 v5\nv7 = uitofp.f64x8 v0\n";
        let divided = "v20 = uitofp.f64x8 v10\nv21 = fdiv.f64x8 v7, v20\n";
        check(&format!("{numbers}v10 = umax.i32x8 v1, v6\n{divided}"), Some((0.0, f64::from(u32::MAX))));
        let replaced = "v8 = iconst.i32 0\nv9 = splat.i32x8 v8\nv11 = icmp.i1x8 eq v1, v9\n\
            v10 = select.i32x8 v11, v6, v1\n";
        check(&format!("{numbers}{replaced}{divided}"), Some((0.0, f64::from(u32::MAX))));
        check(&format!("{numbers}v10 = umin.i32x8 v1, v6\n{divided}"), None);
    }

    #[test]
    fn bounds_of_types() {
        let is_in = |number: f64, bits, is_signed| {
            let text =
                format!("func f0 \"k\" void {{\nb0():\nv0 = fconst.f64 {:#x}\nret\n}}\n", number.to_bits());
            let module = parse_module(&text).expect("it is valid");
            let func = module.funcs.values().next().expect("there is one");
            let value = func.instructions().find_map(|inst| inst.result).expect("there is one");
            is_in_range(func, value, bits, is_signed)
        };
        assert!(is_in(2147483647.9, 32, true) && !is_in(2147483648.0, 32, true));
        assert!(is_in(-2147483648.9, 32, true) && !is_in(-2147483649.0, 32, true));
        assert!(is_in(-0.9, 32, false) && !is_in(-1.0, 32, false) && is_in(255.9, 8, false));
        assert!(
            !is_in(f64::NAN, 32, true) && is_in(-2f64.powi(63), 64, true) && !is_in(-2f64.powi(64), 64, true)
        );
    }
}
