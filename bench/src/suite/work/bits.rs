//! Integer workloads: hashes and pixels.

use crate::suite::data::Random;
use crate::suite::plan::{Expectation, Limit, Plan, Size, Value};

/// Computes MD5 of a block, with constants from their definition.
fn md5(block: &[u32; 16]) -> [u32; 4] {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let start = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let [mut a, mut b, mut c, mut d] = start;
    for i in 0..64 {
        let (f, word) = match i / 16 {
            0 => ((b & c) | (!b & d), i),
            1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
            2 => (b ^ c ^ d, (3 * i + 5) % 16),
            _ => (c ^ (b | !d), 7 * i % 16),
        };
        let constant = (((i + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a.wrapping_add(f).wrapping_add(constant).wrapping_add(block[word]);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4])));
    }
    let sums = [a, b, c, d];
    std::array::from_fn(|i| sums[i].wrapping_add(start[i]))
}

/// Returns the first 32 fractional bits of a root of a prime: SHA-256's constants by their definition.
fn root_bits(prime: u32, root: impl Fn(f64) -> f64) -> u32 {
    (root(f64::from(prime)).fract() * 4_294_967_296.0) as u32
}

/// SHA-256 of blocks, with constants that are computed once.
struct Sha256 {
    start: [u32; 8],
    constants: [u32; 64],
}

impl Sha256 {
    fn new() -> Sha256 {
        let primes: Vec<u32> = (2..312).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
        Sha256 {
            start: std::array::from_fn(|i| root_bits(primes[i], f64::sqrt)),
            constants: std::array::from_fn(|i| root_bits(primes[i], f64::cbrt)),
        }
    }

    fn digest(&self, block: &[u32; 16]) -> [u32; 8] {
        let mut w = [0u32; 64];
        w[..16].copy_from_slice(block);
        for t in 16..64 {
            let (x, y) = (w[t - 15], w[t - 2]);
            let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
            let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
            w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.start;
        for (word, constant) in w.iter().zip(&self.constants) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = [s1, choice, *constant, *word].into_iter().fold(h, u32::wrapping_add);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        let sums = [a, b, c, d, e, f, g, h];
        std::array::from_fn(|i| sums[i].wrapping_add(self.start[i]))
    }
}

/// Returns the plan of a kernel that hashes words of 32 bits, one work-item per word.
fn hashes<const N: usize>(
    source: &'static str,
    kernel: &'static str,
    count: usize,
    each: f64,
    hash: impl Fn(u32) -> [u32; N],
) -> Plan {
    let mut random = Random::new(41);
    let words: Vec<u32> = (0..count).map(|_| random.bits() as u32).collect();
    let digests: Vec<u32> = words.iter().flat_map(|word| hash(*word)).collect();
    let mut plan = Plan::new(source);
    let args = [plan.input(&words), plan.output(Expectation::exact(&digests))];
    plan.launch(kernel, &args, &[count], &[]);
    plan.limits = vec![Limit::Integer(each * count as f64), Limit::Cache(((N + 1) * 4 * count) as f64)];
    plan
}

pub fn md5_rounds(size: Size) -> Plan {
    let source = include_str!("../../../kernels/suite/md5.cl");
    // Each step has three sums, a rotation and one three-operand logical operation; most words are zero.
    hashes(source, "md5", size.of(256 << 10, 300), 5.0 * 64.0, |word| {
        let mut block = [0; 16];
        (block[0], block[1], block[14]) = (word, 0x80, 32);
        md5(&block)
    })
}

pub fn sha256_rounds(size: Size) -> Plan {
    let source = include_str!("../../../kernels/suite/sha256.cl");
    let sha256 = Sha256::new();
    // Rotations, sums and three-operand logical operations: 17 per round, 11 per word of the schedule.
    hashes(source, "sha256", size.of(64 << 10, 300), 17.0 * 64.0 + 11.0 * 48.0, move |word| {
        let mut block = [0; 16];
        (block[0], block[1], block[15]) = (word, 0x8000_0000, 32);
        sha256.digest(&block)
    })
}

pub fn pixels_8(size: Size) -> Plan {
    let (width, height) = (size.of(2048, 50), size.of(1024, 30));
    let mut random = Random::new(42);
    let (grey, over, under) =
        (random.bytes(width * height), random.bytes(width * height * 4), random.bytes(width * height * 4));
    let mut sharp = vec![0; width * height];
    for at in (1..height - 1).flat_map(|y| (1..width - 1).map(move |x| y * width + x)) {
        let value = |at: usize| i32::from(grey[at]);
        let sum = 5 * value(at) - value(at - 1) - value(at + 1) - value(at - width) - value(at + width);
        sharp[at] = sum.clamp(0, 255) as u8;
    }
    let mixed: Vec<u8> = (0..over.len())
        .map(|i| {
            let alpha = u32::from(over[i | 3]);
            ((u32::from(over[i]) * alpha + u32::from(under[i]) * (255 - alpha)) >> 8) as u8
        })
        .collect();
    let mut plan = Plan::new(include_str!("../../../kernels/suite/pixels8.cl"));
    let from = plan.input(&grey);
    // The kernel does not write the border.
    let to = plan.in_out(&vec![0u8; width * height], Expectation::exact(&sharp));
    plan.launch("sharpen", &[from, to, Value::Int(width as i32)], &[width - 2, height - 2], &[]);
    let args = [plan.input(&over), plan.input(&under), plan.output(Expectation::exact(&mixed))];
    plan.launch("blend", &args, &[width * height], &[]);
    plan.limits = vec![Limit::Cache(14.0 * (width * height) as f64)];
    plan
}

pub fn pixels_16(size: Size) -> Plan {
    let (width, height) = (size.of(2048, 50), size.of(1024, 30));
    let (low, gain) = (4000, 291);
    let mut random = Random::new(43);
    let grey: Vec<u16> = (0..width * height).map(|_| random.bits() as u16).collect();
    let mut smooth = vec![0u16; width * height];
    for at in (1..height - 1).flat_map(|y| (1..width - 1).map(move |x| y * width + x)) {
        let row = |at: usize| u32::from(grey[at - 1]) + 2 * u32::from(grey[at]) + u32::from(grey[at + 1]);
        smooth[at] = ((row(at - width) + 2 * row(at) + row(at + width) + 8) >> 4) as u16;
    }
    let stretched: Vec<u16> = smooth
        .iter()
        .map(|value| ((i32::from(value.saturating_sub(low)) * gain) >> 8).min(65_535) as u16)
        .collect();
    let mut plan = Plan::new(include_str!("../../../kernels/suite/pixels16.cl"));
    let from = plan.input(&grey);
    let between = plan.in_out(&vec![0u16; width * height], Expectation::exact(&smooth));
    let to = plan.output(Expectation::exact(&stretched));
    plan.launch("smooth", &[from, between, Value::Int(width as i32)], &[width - 2, height - 2], &[]);
    plan.launch("stretch", &[between, to, Value::Int(low.into()), Value::Int(gain)], &[width * height], &[]);
    plan.limits = vec![Limit::Cache(8.0 * (width * height) as f64)];
    plan
}

#[cfg(test)]
mod tests {
    use super::{Sha256, md5};

    /// Digests of the empty message from the standards.
    #[test]
    fn known_digests() {
        let mut block = [0; 16];
        block[0] = 0x80;
        assert_eq!(md5(&block), [0xd98c_1dd4, 0x04b2_008f, 0x9809_80e9, 0x7e42_f8ec]);
        block[0] = 0x8000_0000;
        let digest = Sha256::new().digest(&block);
        assert_eq!(digest[..4], [0xe3b0_c442, 0x98fc_1c14, 0x9afb_f4c8, 0x996f_b924]);
    }
}
