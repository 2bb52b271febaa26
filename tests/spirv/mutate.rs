//! Damages modules in SPIR-V: changes words, operands and instructions of good ones, so that the result still resembles a
//! module.

/// Pseudo-random numbers (xorshift), the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound.max(1)
    }
}

/// Number of words of a module's header.
const HEADER: usize = 5;

/// Values that programs rarely expect.
const ODD: [u32; 12] = [0, 1, 2, 3, 7, 8, 16, 64, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX];

/// Returns the positions of the instructions of a module.
fn instructions(words: &[u32]) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), HEADER);
    while at < words.len() {
        found.push(at);
        at += ((words[at] >> 16) as usize).max(1);
    }
    found
}

/// Changes a module in one to four places.
pub fn mutate(words: &mut Vec<u32>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let places = instructions(words);
        if places.len() < 2 {
            return;
        }
        let place = places[random.below(places.len())];
        let length = ((words[place] >> 16) as usize).clamp(1, words.len() - place);
        let operand = place + 1 + random.below(length.saturating_sub(1));
        match random.below(10) {
            0..=2 if operand < words.len() => words[operand] = 1 + random.below(words[3] as usize) as u32,
            3 if operand < words.len() => words[operand] = ODD[random.below(ODD.len())],
            4 if operand < words.len() => {
                words[operand] = words[operand].wrapping_add(random.below(3) as u32).wrapping_sub(1)
            }
            5 => {
                // Another instruction of the module with as many words.
                let other = places[random.below(places.len())];
                if words[other] >> 16 == words[place] >> 16 {
                    words[place] = words[other];
                }
            }
            6 => drop(words.drain(place..place + length)),
            7 => {
                let copy = words[place..place + length].to_vec();
                let to = places[random.below(places.len())];
                words.splice(to..to, copy);
            }
            8 => {
                let other = place + 1 + random.below(length.saturating_sub(1));
                if operand < words.len() && other < words.len() {
                    words.swap(operand, other);
                }
            }
            _ => {
                // Operands of another instruction of the same kind.
                let is_same = |&&other: &&usize| words[other] == words[place];
                let alike: Vec<usize> = places.iter().filter(is_same).copied().collect();
                let other = alike[random.below(alike.len())];
                if other + length <= words.len() {
                    let operands = words[other + 1..other + length].to_vec();
                    let kept = 1 + random.below(length);
                    words[place + kept..place + length].copy_from_slice(&operands[kept - 1..]);
                }
            }
        }
    }
}
