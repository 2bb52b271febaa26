//! What integer functions give, in numbers of 128 bits: rows that have this are compared with it, and not only the
//! interpreter with machine code.

/// An integer type.
#[derive(Clone, Copy)]
struct Int {
    bits: u32,
    signed: bool,
}

impl Int {
    fn of(element: &str) -> Option<Int> {
        let (signed, name) = element.strip_prefix('u').map_or((true, element), |name| (false, name));
        let bits = match name {
            "char" => 8,
            "short" => 16,
            "int" => 32,
            "long" => 64,
            _ => return None,
        };
        Some(Int { bits, signed })
    }

    fn least(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    fn most(self) -> i128 {
        self.least() + (1 << self.bits) - 1
    }

    /// The value with the same low bits.
    fn wrap(self, value: i128) -> i128 {
        (value - self.least()).rem_euclid(1 << self.bits) + self.least()
    }

    fn saturate(self, value: i128) -> i128 {
        value.clamp(self.least(), self.most())
    }

    /// The bits as those of an unsigned number.
    fn unsigned(self, value: i128) -> u128 {
        value.rem_euclid(1 << self.bits) as u128
    }

    /// `a * b + c`, of which the high half, and whether it is out of range and on which side. Products of unsigned 64-bit
    /// numbers need all of `u128`.
    fn mad(self, a: i128, b: i128, c: i128) -> (i128, i128) {
        if self.signed {
            let product = a * b;
            return (product >> self.bits, self.saturate(product + c));
        }
        let product = a as u128 * b as u128;
        let most = self.most() as u128;
        ((product >> self.bits) as i128, (product + c as u128).min(most) as i128)
    }
}

/// What the function `name` over `element` gives for these arguments; none if it is not of the kind that is known here.
pub fn value(name: &str, element: &str, args: &[i128]) -> Option<i128> {
    let int = Int::of(element)?;
    let x = *args.first()?;
    let y = args.get(1).copied().unwrap_or_default();
    let z = args.get(2).copied().unwrap_or_default();
    let bits = i128::from(int.bits);
    Some(match name {
        "abs" => x.abs(),
        "abs_diff" => (x - y).abs(),
        "add_sat" => int.saturate(x + y),
        "sub_sat" => int.saturate(x - y),
        "hadd" => (x + y) >> 1,
        "rhadd" => (x + y + 1) >> 1,
        "clamp" if y <= z => x.max(y).min(z),
        "max" => x.max(y),
        "min" => x.min(y),
        "clz" => i128::from(int.unsigned(x).leading_zeros()) - (128 - bits),
        "ctz" => i128::from(int.unsigned(x).trailing_zeros()).min(bits),
        "popcount" => i128::from(int.unsigned(x).count_ones()),
        "mul_hi" => int.mad(x, y, 0).0,
        "mad_hi" => int.wrap(int.mad(x, y, 0).0 + z),
        "mad_sat" => int.mad(x, y, z).1,
        "rotate" => {
            let (x, count) = (int.unsigned(x), (int.unsigned(y) % u128::from(int.bits)) as u32);
            int.wrap((x << count | x >> (int.bits - count)) as i128 & ((1 << bits) - 1))
        }
        // The low half is unsigned; the result is that of the wider type.
        "upsample" => (x << bits) | Int { signed: false, ..int }.wrap(y),
        // With operands of more than 24 bits this is not defined, and the library multiplies all of them.
        "mul24" => int.wrap(x * y),
        "mad24" => int.wrap(x * y + z),
        _ => return None,
    })
}
