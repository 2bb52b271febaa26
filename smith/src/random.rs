//! Pseudo-random numbers for all choices of the generator. The algorithm is SplitMix64 of Steele, Lea and Flood
//! (2014), so that a seed always produces the same program, on every machine.

/// Advances the state and returns the next 64 bits of its sequence.
pub fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Pseudo-random sequence that is determined by its seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        // Consecutive seeds must not produce similar sequences.
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6772_7573_736d_6974);
        random.bits();
        random
    }

    pub fn bits(&mut self) -> u64 {
        splitmix(&mut self.0)
    }

    /// Returns a number below `n`, which must not be 0.
    pub fn below(&mut self, n: u32) -> u32 {
        (self.bits() >> 33) as u32 % n
    }

    /// Returns true with a probability of `percent`.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Returns one of some values.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// Returns one of some values with a probability proportional to its weight.
    pub fn weighted<T: Copy>(&mut self, from: &[(u32, T)]) -> T {
        let mut at = self.below(from.iter().map(|(weight, _)| weight).sum());
        for &(weight, value) in from {
            if at < weight {
                return value;
            }
            at -= weight;
        }
        from[0].1
    }
}
