//! Peak performance of this machine, measured with all its threads: the workloads' limits are divided by it.
//!
//! Measured are arithmetic in registers with the widest vectors; increments of a table's entries, in a table per
//! thread and in a shared one with atomics; loads from the L1 cache; and three arrays (a = b + s c) that fit into
//! the last-level cache, or do not, beside memcpy of such arrays.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

use crate::suite::data::Random;
use crate::suite::plan::Limit;

/// Peak operations and bytes per second.
#[derive(Clone, Debug)]
pub struct Machine {
    pub processor: String,
    pub threads: usize,
    pub vectors: &'static str,
    pub single: f64,
    pub double: f64,
    pub integer: f64,
    pub count: f64,
    pub atomic: f64,
    pub l1: f64,
    pub cache: f64,
    pub memory: f64,
}

/// Number of measurements of a figure, of which the best counts.
const MEASUREMENTS: usize = 5;

/// Size in bytes of the array that is loaded from the L1 cache.
const L1_ARRAY_BYTES: usize = 16 << 10;

/// Number of independent sums, enough to hide the latency of any machine.
const CHAINS: usize = 12;

impl Machine {
    /// Measures the machine, which takes about half a second.
    pub fn measure() -> Machine {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let kernels = Kernels::best();
        // SAFETY: `Kernels::best` has checked that the machine has these vectors.
        let rate = |work: Repeated| best(threads, move || unsafe { work(1 << 20) });
        Machine {
            processor: processor(),
            threads,
            vectors: kernels.name,
            single: rate(kernels.single),
            double: rate(kernels.double),
            integer: rate(kernels.integer),
            count: counts(threads),
            atomic: atomics(threads),
            l1: rate(kernels.l1),
            cache: streams(threads, 2 << 20, 20),
            memory: streams(threads, 64 << 20, 1).max(copies(threads, 64 << 20)),
        }
    }

    /// Returns the better figures of two measurements, since a busy machine disturbs single ones.
    pub fn or(self, other: Machine) -> Machine {
        Machine {
            single: self.single.max(other.single),
            double: self.double.max(other.double),
            integer: self.integer.max(other.integer),
            count: self.count.max(other.count),
            atomic: self.atomic.max(other.atomic),
            l1: self.l1.max(other.l1),
            cache: self.cache.max(other.cache),
            memory: self.memory.max(other.memory),
            ..self
        }
    }

    /// Returns the time in seconds of the limit that takes the longest, and its name.
    pub fn bound(&self, limits: &[Limit]) -> Option<(f64, &'static str)> {
        let times = limits.iter().map(|limit| match limit {
            Limit::Single(n) => (n / self.single, "FMA"),
            Limit::Double(n) => (n / self.double, "FMA, double"),
            Limit::Integer(n) => (n / self.integer, "integer ALUs"),
            Limit::Count(n) => (n / self.count, "increments"),
            Limit::Atomic(n) => (n / self.atomic, "atomics"),
            Limit::L1(n) => (n / self.l1, "L1"),
            Limit::Cache(n) => (n / self.cache, "last cache"),
            Limit::Memory(n) => (n / self.memory, "memory"),
        });
        times.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Returns the name of the processor.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(':'))
        .map_or("unknown processor".into(), |(_, name)| name.trim().into())
}

/// Returns the amount per second of all threads together, where `work` returns the amount of a run.
fn best(threads: usize, work: impl Fn() -> f64 + Sync) -> f64 {
    let once = || {
        let barrier = Barrier::new(threads);
        thread::scope(|scope| {
            let run = || {
                work();
                barrier.wait();
                let start = Instant::now();
                let done = work();
                done / start.elapsed().as_secs_f64()
            };
            let others: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            others.into_iter().map(|thread| thread.join().unwrap_or(0.0)).sum::<f64>()
        })
    };
    (0..MEASUREMENTS).map(|_| once()).fold(0.0, f64::max)
}

/// Returns pseudo-random table indices, like the pixels of a histogram.
fn choices() -> Vec<u8> {
    Random::new(1).bytes(1 << 16)
}

/// Number of passes over the indices.
const PASSES: usize = 32;

/// Measures the increments per second of entries of each thread's own table.
fn counts(threads: usize) -> f64 {
    let choices = choices();
    best(threads, || {
        let mut table = [0u32; 256];
        for _ in 0..PASSES {
            black_box(&choices).iter().for_each(|choice| table[usize::from(*choice)] += 1);
        }
        black_box(&table);
        (PASSES * choices.len()) as f64
    })
}

/// Measures the increments per second of entries of a table that all threads share.
fn atomics(threads: usize) -> f64 {
    let (choices, table) = (choices(), [const { AtomicU32::new(0) }; 256]);
    best(threads, || {
        for _ in 0..PASSES {
            choices.iter().for_each(|choice| {
                table[usize::from(*choice)].fetch_add(1, Ordering::Relaxed);
            });
        }
        (PASSES * choices.len()) as f64
    })
}

/// Measures the bytes per second that a = b + s c reads and writes, over arrays of `bytes` bytes in all threads
/// together.
fn streams(threads: usize, bytes: usize, passes: usize) -> f64 {
    let count = bytes / 4 / threads;
    let once = || {
        let (b, c, mut a) = (vec![1.0f32; count], vec![2.0f32; count], vec![0.0f32; count]);
        let mut pass = || {
            let scale = black_box(3.0);
            a.iter_mut().zip(&b).zip(&c).for_each(|((a, b), c)| *a = b + scale * c);
            black_box(&mut a);
        };
        pass();
        let start = Instant::now();
        (0..passes).for_each(|_| pass());
        (12 * count * passes) as f64 / start.elapsed().as_secs_f64()
    };
    together(threads, once)
}

/// Measures the bytes per second that memcpy reads and writes.
fn copies(threads: usize, bytes: usize) -> f64 {
    let size = bytes / threads;
    together(threads, || {
        let (from, mut to) = (vec![1u8; size], vec![2u8; size]);
        let start = Instant::now();
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
        (2 * size) as f64 / start.elapsed().as_secs_f64()
    })
}

/// Returns the best sum of all threads' rates.
fn together(threads: usize, once: impl Fn() -> f64 + Sync) -> f64 {
    let all = || {
        thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(&once)).collect();
            running.into_iter().map(|thread| thread.join().unwrap_or(0.0)).sum::<f64>()
        })
    };
    (0..MEASUREMENTS).map(|_| all()).fold(0.0, f64::max)
}

/// Measuring loops for one kind of vectors. Each takes its iteration count, returns the amount of its work, and may
/// be called only if the machine has vectors of that name.
struct Kernels {
    name: &'static str,
    single: Repeated,
    double: Repeated,
    integer: Repeated,
    l1: Repeated,
}

type Repeated = unsafe fn(usize) -> f64;

/// Defines the loops for one kind of vectors; the caller ensures that the machine has them.
macro_rules! kernels {
    ($module:ident, $feature:literal, $lanes:literal, $bytes:literal,
     $set:ident, $fma:ident, $set_double:ident, $fma_double:ident,
     $set_int:ident, $add_int:ident, $xor_int:ident, $load:ident) => {
        #[cfg(target_arch = "x86_64")]
        mod $module {
            use super::{CHAINS, Kernels, L1_ARRAY_BYTES, black_box};
            use std::arch::x86_64::*;

            #[target_feature(enable = $feature)]
            fn single(turns: usize) -> f64 {
                let (a, b) = ($set(black_box(0.999)), $set(black_box(0.001)));
                let mut sums = [$set(1.0); CHAINS];
                for _ in 0..turns {
                    for sum in &mut sums {
                        *sum = $fma(*sum, a, b);
                    }
                }
                black_box(sums);
                (turns * CHAINS * $lanes) as f64
            }

            #[target_feature(enable = $feature)]
            fn double(turns: usize) -> f64 {
                let (a, b) = ($set_double(black_box(0.999)), $set_double(black_box(0.001)));
                let mut sums = [$set_double(1.0); CHAINS];
                for _ in 0..turns {
                    for sum in &mut sums {
                        *sum = $fma_double(*sum, a, b);
                    }
                }
                black_box(sums);
                (turns * CHAINS * $lanes / 2) as f64
            }

            #[target_feature(enable = $feature)]
            fn integer(turns: usize) -> f64 {
                let (a, b) = ($set_int(black_box(0x1234_5677)), $set_int(black_box(0x5555_1111)));
                let mut sums = [$set_int(1); CHAINS];
                for _ in 0..turns {
                    for sum in &mut sums {
                        *sum = $xor_int($add_int(*sum, a), b);
                    }
                }
                black_box(sums);
                (turns * CHAINS * $lanes * 2) as f64
            }

            #[target_feature(enable = $feature)]
            fn l1(turns: usize) -> f64 {
                #[repr(align(64))]
                struct Aligned([u8; L1_ARRAY_BYTES]);
                let array = Aligned([1; L1_ARRAY_BYTES]);
                let passes = turns / 256;
                let mut sums = [$set_int(0); 8];
                for _ in 0..passes {
                    let array = &black_box(&array).0;
                    for part in array.chunks_exact($bytes * 8) {
                        for (sum, bytes) in sums.iter_mut().zip(part.chunks_exact($bytes)) {
                            // SAFETY: the chunk has the size of a vector, and is aligned like its array.
                            *sum = $add_int(*sum, unsafe { $load(bytes.as_ptr().cast()) });
                        }
                    }
                }
                black_box(sums);
                (passes * L1_ARRAY_BYTES) as f64
            }

            pub fn kernels() -> Kernels {
                Kernels { name: $feature, single, double, integer, l1 }
            }
        }
    };
}

kernels!(
    avx512,
    "avx512f",
    16,
    64,
    _mm512_set1_ps,
    _mm512_fmadd_ps,
    _mm512_set1_pd,
    _mm512_fmadd_pd,
    _mm512_set1_epi32,
    _mm512_add_epi32,
    _mm512_xor_si512,
    _mm512_load_si512
);
kernels!(
    avx2,
    "avx2,fma",
    8,
    32,
    _mm256_set1_ps,
    _mm256_fmadd_ps,
    _mm256_set1_pd,
    _mm256_fmadd_pd,
    _mm256_set1_epi32,
    _mm256_add_epi32,
    _mm256_xor_si256,
    _mm256_load_si256
);

/// Loops that the compiler vectorizes for the baseline features of the target.
mod portable {
    use super::{CHAINS, Kernels, L1_ARRAY_BYTES, black_box};

    fn single(turns: usize) -> f64 {
        let (a, b) = (black_box(0.999f32), black_box(0.001f32));
        let mut sums = [1.0f32; CHAINS * 4];
        for _ in 0..turns {
            sums.iter_mut().for_each(|sum| *sum = *sum * a + b);
        }
        black_box(sums);
        (turns * CHAINS * 4) as f64
    }

    fn double(turns: usize) -> f64 {
        let (a, b) = (black_box(0.999f64), black_box(0.001f64));
        let mut sums = [1.0f64; CHAINS * 2];
        for _ in 0..turns {
            sums.iter_mut().for_each(|sum| *sum = *sum * a + b);
        }
        black_box(sums);
        (turns * CHAINS * 2) as f64
    }

    fn integer(turns: usize) -> f64 {
        let (a, b) = (black_box(0x1234_5677u32), black_box(0x5555_1111u32));
        let mut sums = [1u32; CHAINS * 4];
        for _ in 0..turns {
            sums.iter_mut().for_each(|sum| *sum = sum.wrapping_add(a) ^ b);
        }
        black_box(sums);
        (turns * CHAINS * 4 * 2) as f64
    }

    fn l1(turns: usize) -> f64 {
        let array = [1u32; L1_ARRAY_BYTES / 4];
        let passes = turns / 256;
        let mut sums = [0u32; 32];
        for _ in 0..passes {
            for part in black_box(&array).chunks_exact(32) {
                sums.iter_mut().zip(part).for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
            }
        }
        black_box(sums);
        (passes * L1_ARRAY_BYTES) as f64
    }

    pub fn kernels() -> Kernels {
        Kernels { name: "no named vectors", single, double, integer, l1 }
    }
}

impl Kernels {
    fn best() -> Kernels {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return avx512::kernels();
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return avx2::kernels();
            }
        }
        portable::kernels()
    }
}

#[cfg(test)]
mod tests {
    use super::{Machine, portable};
    use crate::suite::plan::Limit;

    #[test]
    fn the_longest_limit_binds() {
        let machine = Machine {
            processor: String::new(),
            threads: 1,
            vectors: "",
            single: 10.0,
            double: 5.0,
            integer: 10.0,
            count: 1.0,
            atomic: 1.0,
            l1: 100.0,
            cache: 50.0,
            memory: 20.0,
        };
        assert_eq!(machine.bound(&[]), None);
        let limits = [Limit::Single(30.0), Limit::Memory(100.0), Limit::L1(100.0)];
        assert_eq!(machine.bound(&limits), Some((5.0, "memory")));
        assert_eq!(
            machine.clone().or(Machine { memory: 50.0, ..machine }).bound(&limits),
            Some((3.0, "FMA"))
        );
    }

    #[test]
    fn portable_kernels_count_what_they_do() {
        let kernels = portable::kernels();
        // SAFETY: the portable loops need no particular vectors.
        let done = |work: super::Repeated, turns| unsafe { work(turns) };
        assert_eq!(done(kernels.single, 2), 96.0);
        assert_eq!(done(kernels.double, 2), 48.0);
        assert_eq!(done(kernels.integer, 2), 192.0);
        assert_eq!(done(kernels.l1, 256), 16384.0);
    }
}
