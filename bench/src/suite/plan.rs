//! Workload as data: a program, memory with its initial contents, launches, expected results, and lower bounds of
//! the work for the machine. Workloads create plans, `run` executes them: no workload calls OpenCL itself.

use std::borrow::Cow;

/// Element types of buffers.
pub trait Number: Copy {}
impl Number for u8 {}
impl Number for u16 {}
impl Number for i32 {}
impl Number for u32 {}
impl Number for f32 {}
impl Number for f64 {}

/// Returns the bytes of a slice of numbers.
pub fn bytes_of<T: Number>(values: &[T]) -> Vec<u8> {
    // SAFETY: a `Number` has no padding, so every byte of the slice is initialized.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) }.to_vec()
}

/// Size of a workload.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Size for measurements.
    Full,
    /// Small size for checks.
    Small,
}

impl Size {
    /// Returns the number for this size.
    pub fn of(self, full: usize, small: usize) -> usize {
        match self {
            Size::Full => full,
            Size::Small => small,
        }
    }
}

/// Memory object of a plan.
pub enum Memory {
    Buffer(Vec<u8>),
    /// RGBA image with 8 bits per channel.
    Image {
        width: usize,
        height: usize,
        texels: Vec<u8>,
    },
}

/// Kernel argument; memory is given by its index in the plan.
#[derive(Clone, Copy)]
pub enum Value {
    Memory(usize),
    /// Sampler with coordinates in texels, repeated edges, linear filtering.
    Sampler,
    Int(i32),
    Float(f32),
    /// Local memory, in bytes.
    Local(usize),
}

/// Launch, possibly repeated.
pub struct Launch {
    pub kernel: &'static str,
    pub args: Vec<Value>,
    pub global: Vec<usize>,
    /// Local size; `None` if the device chooses it.
    pub local: Option<Vec<usize>>,
    pub times: usize,
    /// True if clFinish follows each launch.
    pub finish: bool,
}

/// Permitted error of a number: `absolute + relative * |expected|`.
#[derive(Clone, Copy)]
pub struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

/// Expected contents of memory at the end.
pub enum Expectation {
    Exact(Vec<u8>),
    Single(Vec<f64>, Tolerance),
    Double(Vec<f64>, Tolerance),
    /// Integers, and the share of them that may differ because of rounding.
    MostlyExact(Vec<i32>, f64),
}

/// Lower bound of a workload's amount of one kind of work. Operations are those of one lane; a fused multiply-add
/// is one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    Single(f64),
    Double(f64),
    Integer(f64),
    /// Number of increments of entries of a table per thread.
    Count(f64),
    /// Number of atomic increments of entries of a shared table.
    Atomic(f64),
    /// Number of bytes loaded from the L1 cache.
    L1(f64),
    /// Number of bytes transferred to and from the last-level cache.
    Cache(f64),
    /// Number of bytes transferred to and from memory.
    Memory(f64),
}

/// Operations that a division or square root, and each function, counts for: about the length of the polynomials.
pub const DIVIDE: f64 = 8.0;
pub const EXP: f64 = 12.0;
pub const LOG: f64 = 16.0;
pub const SIN: f64 = 20.0;
pub const POW: f64 = 40.0;

/// Measured time of a workload.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// Time from clFinish to clFinish around the launches.
    Launches,
    /// Time from source to the end of the launches, with a macro that makes each build new to any cache.
    Build,
}

/// Workload.
pub struct Plan {
    pub source: Cow<'static, str>,
    pub options: &'static str,
    pub memory: Vec<Memory>,
    /// Memory whose initial contents are restored before each sequence, outside of the measured time.
    pub restored: Vec<usize>,
    pub launches: Vec<Launch>,
    pub expectations: Vec<(usize, Expectation)>,
    pub limits: Vec<Limit>,
    pub timed: Timed,
}

impl Plan {
    pub fn new(source: impl Into<Cow<'static, str>>) -> Plan {
        Plan {
            source: source.into(),
            options: "",
            memory: Vec::new(),
            restored: Vec::new(),
            launches: Vec::new(),
            expectations: Vec::new(),
            limits: Vec::new(),
            timed: Timed::Launches,
        }
    }

    fn add(&mut self, memory: Memory) -> usize {
        self.memory.push(memory);
        self.memory.len() - 1
    }

    /// Adds a buffer with these contents.
    pub fn input<T: Number>(&mut self, values: &[T]) -> Value {
        Value::Memory(self.add(Memory::Buffer(bytes_of(values))))
    }

    /// Adds a buffer that kernels change in place; its contents are restored before each sequence.
    pub fn in_out<T: Number>(&mut self, values: &[T], expected: Expectation) -> Value {
        let number = self.add(Memory::Buffer(bytes_of(values)));
        self.restored.push(number);
        self.expectations.push((number, expected));
        Value::Memory(number)
    }

    /// Adds a buffer that kernels write; its initial contents occur in no result.
    pub fn output(&mut self, expected: Expectation) -> Value {
        let number = self.scratch(match &expected {
            Expectation::Exact(bytes) => bytes.len(),
            Expectation::Single(values, _) => values.len() * 4,
            Expectation::Double(values, _) => values.len() * 8,
            Expectation::MostlyExact(values, _) => values.len() * 4,
        });
        if let Value::Memory(number) = number {
            self.expectations.push((number, expected));
        }
        number
    }

    /// Adds a buffer for intermediate results, of `size` bytes.
    pub fn scratch(&mut self, size: usize) -> Value {
        Value::Memory(self.add(Memory::Buffer(vec![0xA5; size])))
    }

    /// Adds an RGBA image with 8 bits per channel.
    pub fn image(&mut self, width: usize, height: usize, texels: Vec<u8>) -> Value {
        Value::Memory(self.add(Memory::Image { width, height, texels }))
    }

    /// Adds a launch; an empty local size lets the device choose.
    pub fn launch(&mut self, kernel: &'static str, args: &[Value], global: &[usize], local: &[usize]) {
        self.launches.push(Launch {
            kernel,
            args: args.to_vec(),
            global: global.to_vec(),
            local: (!local.is_empty()).then(|| local.to_vec()),
            times: 1,
            finish: false,
        });
    }
}

impl Expectation {
    /// Expects exactly these numbers.
    pub fn exact<T: Number>(values: &[T]) -> Expectation {
        Expectation::Exact(bytes_of(values))
    }

    /// Expects floats within these errors.
    pub fn single(values: impl IntoIterator<Item = f64>, relative: f64, absolute: f64) -> Expectation {
        Expectation::Single(values.into_iter().collect(), Tolerance { relative, absolute })
    }

    /// Expects doubles within these errors.
    pub fn double(values: impl IntoIterator<Item = f64>, relative: f64, absolute: f64) -> Expectation {
        Expectation::Double(values.into_iter().collect(), Tolerance { relative, absolute })
    }

    /// Compares memory with the expectation; the error gives the number of wrong values and the first of them.
    pub fn check(&self, got: &[u8]) -> Result<(), String> {
        match self {
            Expectation::Exact(expected) => {
                let wrong = expected.iter().zip(got).filter(|(expected, got)| expected != got).count();
                let first = expected.iter().zip(got).position(|(expected, got)| expected != got);
                first.map_or(Ok(()), |at| Err(format!("{wrong} bytes differ, the first is byte {at}")))
            }
            Expectation::Single(expected, tolerance) => {
                let got =
                    got.chunks_exact(4).map(|b| f64::from(f32::from_ne_bytes([b[0], b[1], b[2], b[3]])));
                check_near(expected, got, *tolerance)
            }
            Expectation::Double(expected, tolerance) => {
                let number = |b: &[u8]| f64::from_ne_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
                check_near(expected, got.chunks_exact(8).map(number), *tolerance)
            }
            Expectation::MostlyExact(expected, share) => {
                let got = got.chunks_exact(4).map(|b| i32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
                let wrong = expected.iter().zip(got).filter(|(expected, got)| *expected != got).count();
                let part = wrong as f64 / expected.len() as f64;
                if part <= *share { Ok(()) } else { Err(format!("{wrong} of {} differ", expected.len())) }
            }
        }
    }
}

fn check_near(expected: &[f64], got: impl Iterator<Item = f64>, tolerance: Tolerance) -> Result<(), String> {
    let is_wrong = |expected: f64, got: f64| {
        let within = (got - expected).abs() <= tolerance.absolute + tolerance.relative * expected.abs();
        !within
    };
    let wrong: Vec<(usize, f64, f64)> = expected
        .iter()
        .zip(got)
        .enumerate()
        .filter(|(_, (expected, got))| is_wrong(**expected, *got))
        .map(|(at, (expected, got))| (at, *expected, got))
        .collect();
    match wrong.first() {
        None => Ok(()),
        Some((at, expected, got)) => {
            Err(format!("{} wrong: number {at} is {got}, not {expected}", wrong.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Expectation, bytes_of};

    #[test]
    fn what_is_wrong_is_seen() {
        let expected = Expectation::single([1.0, 2.0], 0.0, 0.1);
        assert!(expected.check(&bytes_of(&[1.05f32, 2.05])).is_ok());
        assert!(expected.check(&bytes_of(&[1.05f32, 2.15])).is_err());
        assert!(expected.check(&bytes_of(&[f32::NAN, 2.0])).is_err());
        assert!(Expectation::double([1.0], 0.5, 0.0).check(&bytes_of(&[1.6f64])).is_err());
        assert!(Expectation::exact(&[1u32, 2]).check(&bytes_of(&[1u32, 3])).is_err());
        assert!(Expectation::MostlyExact(vec![1, 2], 0.5).check(&bytes_of(&[1, 3])).is_ok());
        assert!(Expectation::MostlyExact(vec![1, 2], 0.4).check(&bytes_of(&[1, 3])).is_err());
    }
}
