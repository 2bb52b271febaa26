//! Products and shifts of bytes, of which processors have none, in the words that they are parts of: each operation is
//! done once for the lower and once for the upper bytes of the words.

use super::super::two_powers::TwoPowers;
use super::{BlockWriter, LegalizeTarget, OpToReplace, in_wider_lanes};
use grus_ir::{Kind, Op, Type, Value};

/// Masks of the lower and the upper bytes of words.
const LOWER: u64 = 0x00ff;
const UPPER: u64 = 0xff00;

/// Number of bits of a byte's shift count that count.
const COUNT: u64 = 7;

/// Returns the words that the bytes of a vector are parts of. Vectors of fewer bytes than two words have none.
fn words(ty: Type) -> Option<Type> {
    (ty.lanes >= 4 && ty.lanes.is_multiple_of(2)).then(|| Type::vector(Kind::I16, ty.lanes / 2))
}

fn and(w: &mut BlockWriter<'_>, value: Value, bits: u64) -> Value {
    let mask = w.constant(w.func.ty(value), bits);
    w.same(Op::And, &[value, mask])
}

/// Checks whether the lanes of a vector fill no register when they are words.
fn fits_as_words(w: &BlockWriter<'_>, ty: Type) -> bool {
    ty.bits() * 2 <= if w.target == LegalizeTarget::Avx2 { 256 } else { 512 }
}

/// Multiplies bytes by a power of two, or by a sum or difference of two. Returns nothing for other factors.
fn product_with_powers(w: &mut BlockWriter<'_>, number: Value, factor: u64) -> Option<Value> {
    let times = |w: &mut BlockWriter<'_>, power: u32| match power {
        0 => number,
        _ => w.shift(Op::Shl, number, power),
    };
    if factor > 1 && factor.is_power_of_two() {
        return Some(times(w, factor.trailing_zeros()));
    }
    let powers = TwoPowers::of(factor, 8)?;
    let parts = [powers.first, powers.second].map(|power| times(w, power));
    Some(w.same(if powers.subtracts { Op::Isub } else { Op::Iadd }, &parts))
}

/// Multiplies bytes. The upper byte of a product with the upper byte of a word, in its place, is the product of the upper
/// bytes.
pub(super) fn product(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let constant = |w: &BlockWriter<'_>, at: usize| w.func.as_const_of_lanes(what.args[at]);
    let (first, second) = if constant(w, 0).is_some() { (1, 0) } else { (0, 1) };
    if let Some(factor) = constant(w, second)
        && let Some(product) = product_with_powers(w, what.args[first], factor & LOWER)
    {
        return product;
    }
    let Some(words) = words(what.ty).filter(|_| !fits_as_words(w, what.ty)) else {
        return in_wider_lanes(w, what);
    };
    let a = w.make(Op::Bitcast, words, &[what.args[first]]);
    let (b, b_upper) = match constant(w, second) {
        Some(factor) => (w.constant(words, factor & LOWER), w.constant(words, factor << 8 & UPPER)),
        None => {
            let b = w.make(Op::Bitcast, words, &[what.args[second]]);
            (b, and(w, b, UPPER))
        }
    };
    let lower = w.same(Op::Imul, &[a, b]);
    let lower = and(w, lower, LOWER);
    let a_upper = w.shift(Op::Lshr, a, 8);
    let upper = w.same(Op::Imul, &[a_upper, b_upper]);
    let both = w.same(Op::Or, &[lower, upper]);
    w.make(Op::Bitcast, what.ty, &[both])
}

/// Shifts bytes by counts that differ. Counts are taken modulo 8.
pub(super) fn shift(w: &mut BlockWriter<'_>, what: &OpToReplace) -> Value {
    let Some(words) = words(what.ty).filter(|_| !fits_as_words(w, what.ty)) else {
        return in_wider_lanes(w, what);
    };
    let [number, counts] = [0, 1].map(|at| w.make(Op::Bitcast, words, &[what.args[at]]));
    let mut lower_counts = and(w, counts, COUNT);
    let upper_counts = w.shift(Op::Lshr, counts, 8);
    let upper_counts = and(w, upper_counts, COUNT);
    let [lower, upper] = match what.op {
        Op::Shl => [number, and(w, number, UPPER)],
        Op::Lshr => [and(w, number, LOWER), number],
        _ => {
            // The lower bytes are shifted from the upper ones' place, so that their signs are those of the words.
            let more = w.constant(words, 8);
            lower_counts = w.same(Op::Or, &[lower_counts, more]);
            [w.shift(Op::Shl, number, 8), number]
        }
    };
    let lower = w.same(what.op, &[lower, lower_counts]);
    let lower = if what.op == Op::Lshr { lower } else { and(w, lower, LOWER) };
    let upper = w.same(what.op, &[upper, upper_counts]);
    let upper = if what.op == Op::Shl { upper } else { and(w, upper, UPPER) };
    let both = w.same(Op::Or, &[lower, upper]);
    w.make(Op::Bitcast, what.ty, &[both])
}
