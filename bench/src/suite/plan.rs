//! A workload as data: a program, memory with its first contents, launches, what must come out, and what the machine
//! must at least do for it. Workloads write plans, `run` executes them: no workload calls OpenCL itself.

use std::borrow::Cow;

/// Numbers that buffers are made of.
pub trait Number: Copy {}
impl Number for u8 {}
impl Number for u16 {}
impl Number for i32 {}
impl Number for u32 {}
impl Number for f32 {}
impl Number for f64 {}

/// The bytes of some numbers.
pub fn bytes_of<T: Number>(values: &[T]) -> Vec<u8> {
    // SAFETY: a `Number` has no padding, so every byte of the slice is initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) }.to_vec()
}

/// How large a workload is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// To be measured.
    Full,
    /// To be checked only, soon.
    Small,
}

impl Size {
    /// One of two numbers.
    pub fn of(self, full: usize, small: usize) -> usize {
        match self {
            Size::Full => full,
            Size::Small => small,
        }
    }
}

/// Something that holds data: it can be an argument.
pub enum Memory {
    Buffer(Vec<u8>),
    /// RGBA, 8 bits for each channel.
    Image {
        width: usize,
        height: usize,
        texels: Vec<u8>,
    },
}

/// An argument; memory by its number in the plan.
#[derive(Clone, Copy)]
pub enum Value {
    Memory(usize),
    /// Coordinates in texels, edges repeated, linear.
    Sampler,
    Int(i32),
    Float(f32),
    /// Bytes of local memory.
    Local(usize),
}

/// A launch, or several of the same.
pub struct Launch {
    pub kernel: &'static str,
    pub args: Vec<Value>,
    pub global: Vec<usize>,
    /// None: the device chooses.
    pub local: Option<Vec<usize>>,
    pub times: usize,
    /// Waits after each.
    pub finish: bool,
}

/// How far a number may be from what is expected: `absolute + relative * |expected|`.
#[derive(Clone, Copy)]
pub struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

/// What memory must hold at the end.
pub enum Want {
    Exact(Vec<u8>),
    Single(Vec<f64>, Tolerance),
    Double(Vec<f64>, Tolerance),
    /// Integers of which this share may differ: what a rounding decides.
    Most(Vec<i32>, f64),
}

/// What the machine has to do at least. Operations are those of one lane, a fused multiply-add is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    Single(f64),
    Double(f64),
    Integer(f64),
    /// Entries of a table of the thread's own that are incremented.
    Count(f64),
    /// Entries of a table of all threads that are incremented atomically.
    Atomic(f64),
    /// Bytes that come out of the first cache.
    L1(f64),
    /// Bytes that go to and from the last cache.
    Cache(f64),
    /// Bytes that go to and from memory.
    Memory(f64),
}

/// Operations that count for a division or square root, and for the functions: about what their polynomials need.
pub const DIVIDE: f64 = 8.0;
pub const EXP: f64 = 12.0;
pub const LOG: f64 = 16.0;
pub const SIN: f64 = 20.0;
pub const POW: f64 = 40.0;

/// What a workload measures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// From clFinish to clFinish around its launches.
    Launches,
    /// From source to the end of its launches, with a macro that makes each build new to any cache.
    Build,
}

/// A workload.
pub struct Plan {
    pub source: Cow<'static, str>,
    pub options: &'static str,
    pub memory: Vec<Memory>,
    /// Memory whose first contents are written again before each sequence, outside of the time.
    pub renewed: Vec<usize>,
    pub launches: Vec<Launch>,
    pub wants: Vec<(usize, Want)>,
    pub limits: Vec<Limit>,
    pub timed: Timed,
}

impl Plan {
    pub fn new(source: impl Into<Cow<'static, str>>) -> Plan {
        Plan {
            source: source.into(),
            options: "",
            memory: Vec::new(),
            renewed: Vec::new(),
            launches: Vec::new(),
            wants: Vec::new(),
            limits: Vec::new(),
            timed: Timed::Launches,
        }
    }

    fn add(&mut self, memory: Memory) -> usize {
        self.memory.push(memory);
        self.memory.len() - 1
    }

    /// A buffer with this in it.
    pub fn input<T: Number>(&mut self, values: &[T]) -> Value {
        Value::Memory(self.add(Memory::Buffer(bytes_of(values))))
    }

    /// A buffer that kernels change in place: it is written again before each sequence.
    pub fn changed<T: Number>(&mut self, values: &[T], want: Want) -> Value {
        let number = self.add(Memory::Buffer(bytes_of(values)));
        self.renewed.push(number);
        self.wants.push((number, want));
        Value::Memory(number)
    }

    /// A buffer that kernels write; before that it holds what no result is.
    pub fn output(&mut self, want: Want) -> Value {
        let number = self.room(match &want {
            Want::Exact(bytes) => bytes.len(),
            Want::Single(values, _) => values.len() * 4,
            Want::Double(values, _) => values.len() * 8,
            Want::Most(values, _) => values.len() * 4,
        });
        if let Value::Memory(number) = number {
            self.wants.push((number, want));
        }
        number
    }

    /// A buffer between kernels, in bytes.
    pub fn room(&mut self, size: usize) -> Value {
        Value::Memory(self.add(Memory::Buffer(vec![0xA5; size])))
    }

    /// An image, RGBA of 8 bits.
    pub fn image(&mut self, width: usize, height: usize, texels: Vec<u8>) -> Value {
        Value::Memory(self.add(Memory::Image { width, height, texels }))
    }

    /// A launch; no local size if it is empty.
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

impl Want {
    /// Exactly these numbers.
    pub fn exact<T: Number>(values: &[T]) -> Want {
        Want::Exact(bytes_of(values))
    }

    /// Floats this near.
    pub fn single(values: impl IntoIterator<Item = f64>, relative: f64, absolute: f64) -> Want {
        Want::Single(values.into_iter().collect(), Tolerance { relative, absolute })
    }

    /// Doubles this near.
    pub fn double(values: impl IntoIterator<Item = f64>, relative: f64, absolute: f64) -> Want {
        Want::Double(values.into_iter().collect(), Tolerance { relative, absolute })
    }

    /// Compares; the error says how many are wrong, and which is the first.
    pub fn check(&self, got: &[u8]) -> Result<(), String> {
        match self {
            Want::Exact(want) => {
                let wrong = want.iter().zip(got).filter(|(want, got)| want != got).count();
                let first = want.iter().zip(got).position(|(want, got)| want != got);
                first.map_or(Ok(()), |at| Err(format!("{wrong} bytes differ, the first is byte {at}")))
            }
            Want::Single(want, tolerance) => {
                let got =
                    got.chunks_exact(4).map(|b| f64::from(f32::from_ne_bytes([b[0], b[1], b[2], b[3]])));
                near(want, got, *tolerance)
            }
            Want::Double(want, tolerance) => {
                let number = |b: &[u8]| f64::from_ne_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
                near(want, got.chunks_exact(8).map(number), *tolerance)
            }
            Want::Most(want, share) => {
                let got = got.chunks_exact(4).map(|b| i32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
                let wrong = want.iter().zip(got).filter(|(want, got)| *want != got).count();
                let part = wrong as f64 / want.len() as f64;
                if part <= *share { Ok(()) } else { Err(format!("{wrong} of {} differ", want.len())) }
            }
        }
    }
}

fn near(want: &[f64], got: impl Iterator<Item = f64>, tolerance: Tolerance) -> Result<(), String> {
    let off = |want: f64, got: f64| {
        let within = (got - want).abs() <= tolerance.absolute + tolerance.relative * want.abs();
        !within
    };
    let wrong: Vec<(usize, f64, f64)> = want
        .iter()
        .zip(got)
        .enumerate()
        .filter(|(_, (want, got))| off(**want, *got))
        .map(|(at, (want, got))| (at, *want, got))
        .collect();
    match wrong.first() {
        None => Ok(()),
        Some((at, want, got)) => Err(format!("{} wrong: number {at} is {got}, not {want}", wrong.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Want, bytes_of};

    #[test]
    fn what_is_wrong_is_seen() {
        let want = Want::single([1.0, 2.0], 0.0, 0.1);
        assert!(want.check(&bytes_of(&[1.05f32, 2.05])).is_ok());
        assert!(want.check(&bytes_of(&[1.05f32, 2.15])).is_err());
        assert!(want.check(&bytes_of(&[f32::NAN, 2.0])).is_err());
        assert!(Want::double([1.0], 0.5, 0.0).check(&bytes_of(&[1.6f64])).is_err());
        assert!(Want::exact(&[1u32, 2]).check(&bytes_of(&[1u32, 3])).is_err());
        assert!(Want::Most(vec![1, 2], 0.5).check(&bytes_of(&[1, 3])).is_ok());
        assert!(Want::Most(vec![1, 2], 0.4).check(&bytes_of(&[1, 3])).is_err());
    }
}
