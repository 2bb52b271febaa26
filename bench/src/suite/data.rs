//! Input of the workloads: pseudo-random numbers, the same in every run.

use grus_smith::splitmix;

/// Pseudo-random sequence.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns 64 bits.
    pub fn bits(&mut self) -> u64 {
        splitmix(&mut self.0)
    }

    /// Returns an integer below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// Returns a number from `low` to `high`.
    pub fn double(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns `count` floats from `low` to `high`.
    pub fn floats(&mut self, count: usize, low: f32, high: f32) -> Vec<f32> {
        (0..count).map(|_| self.double(low.into(), high.into()) as f32).collect()
    }

    /// Returns `count` doubles from `low` to `high`.
    pub fn doubles(&mut self, count: usize, low: f64, high: f64) -> Vec<f64> {
        (0..count).map(|_| self.double(low, high)).collect()
    }

    /// Returns `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.bits() as u8).collect()
    }
}
