//! Constant factors whose products are two shifts and an addition or subtraction.

/// Number that is the sum or the difference of two powers of two, by their exponents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoPowers {
    pub first: u32,
    pub second: u32,
    pub subtracts: bool,
}

impl TwoPowers {
    /// Takes a factor of `bits` bits apart. Returns nothing for other numbers and for powers of two.
    pub fn of(factor: u64, bits: u32) -> Option<TwoPowers> {
        if factor.count_ones() < 2 {
            return None;
        }
        let second = factor.trailing_zeros();
        let lowest = 1 << second;
        let (lower, higher) = (factor - lowest, factor.checked_add(lowest)?);
        if lower.is_power_of_two() {
            return Some(TwoPowers { first: lower.trailing_zeros(), second, subtracts: false });
        }
        let first = higher.trailing_zeros();
        (higher.is_power_of_two() && first < bits).then_some(TwoPowers { first, second, subtracts: true })
    }
}

#[cfg(test)]
mod tests {
    use super::TwoPowers;

    #[test]
    fn factors_of_bytes_are_taken_apart() {
        let of = |factor| {
            let powers = TwoPowers::of(factor, 8)?;
            Some((powers.first, powers.second, powers.subtracts))
        };
        assert_eq!(
            [3, 6, 0x81, 0xc0, 14, 0x7f].map(of),
            [
                Some((1, 0, false)),
                Some((2, 1, false)),
                Some((7, 0, false)),
                Some((7, 6, false)),
                Some((4, 1, true)),
                Some((7, 0, true)),
            ]
        );
        assert_eq!([0, 1, 0x80, 11, 0xe0, 0xff].map(of), [None; 6]);
    }
}
