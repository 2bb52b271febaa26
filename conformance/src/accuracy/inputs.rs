//! Selection of arguments: special values of the type and of its arithmetic in all combinations, and random numbers
//! with several distributions.

use std::f64::consts::{E, LN_2, PI};

use grus_smith::splitmix;

use super::functions::{Function, Input};
use super::number::{Type, power};

/// Random number generator with a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        splitmix(&mut self.0)
    }

    /// Returns a number with a uniform distribution in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * power(-53)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn sign(&mut self) -> f64 {
        if self.next() & 1 == 0 { 1.0 } else { -1.0 }
    }

    /// Returns a number with random bits.
    fn bits(&mut self, ty: Type) -> f64 {
        ty.value(self.next() & ty.mask())
    }

    /// Returns a number in a range in which most functions vary: small numbers of both signs, with a uniform
    /// distribution in some ranges.
    fn typical(&mut self, ty: Type) -> f64 {
        let size = match self.next() % 8 {
            0 => self.between(0.0, 1.0),
            1 => self.between(0.9, 1.1),
            2 => self.between(0.0, 4.0),
            3 => self.between(0.0, 30.0),
            4 => self.between(0.0, 180.0),
            5 => self.between(0.0, 800.0),
            6 => power(self.between(-30.0, 60.0) as i32) * self.between(1.0, 2.0),
            // A number close to a multiple of pi/2.
            _ => {
                let limit = [100.0, 1e9, 1e13][self.next() as usize % 3];
                self.between(0.0, limit).round() * (PI / 2.0)
            }
        };
        ty.round(size * self.sign())
    }

    /// Returns a number close to an integer or half an integer.
    fn near_integer(&mut self, ty: Type) -> f64 {
        let integer = (self.between(0.0, 400.0)).floor() / 2.0;
        let steps = (self.next() % 5) as i64 - 2;
        ty.step(ty.round(integer), if integer == 0.0 { steps.abs() } else { steps }) * self.sign()
    }

    fn real(&mut self, ty: Type) -> f64 {
        match self.next() % 8 {
            0 | 1 => self.bits(ty),
            2 => self.near_integer(ty),
            _ => self.typical(ty),
        }
    }

    fn int(&mut self) -> f64 {
        let n = match self.next() % 4 {
            0 => self.next() as i32,
            1 => (self.next() % 17) as i32 - 8,
            2 => (self.next() % 2401) as i32 - 1200,
            _ => (self.next() % 301) as i32 - 150,
        };
        n.into()
    }

    fn value(&mut self, input: Input, ty: Type) -> f64 {
        match input {
            Input::Real => self.real(ty),
            Input::Int => self.int(),
            Input::Code => (self.next() as u32).into(),
        }
    }

    /// Returns arguments that are related to each other in ways that independent random numbers hardly ever are.
    fn point(&mut self, function: &Function, ty: Type) -> [f64; 3] {
        let mut x = [0.0; 3];
        for (x, input) in x.iter_mut().zip(&function.inputs) {
            *x = self.value(*input, ty);
        }
        let [first, second] = [x[0], x[1]];
        match (&function.inputs[..], self.next() % 4) {
            // Arguments for which a power does not overflow.
            ([Input::Real, Input::Real], 0) => {
                let limit = f64::from(ty.largest_exponent() + ty.digits() + 3) * LN_2;
                x[0] = ty.round(if self.next() & 1 == 0 { first.abs() } else { self.between(0.0, 10.0) });
                x[1] = ty.round(self.between(-limit, limit) / libm::log(x[0]).clamp(-1e3, 1e3));
            }
            ([Input::Real, Input::Int], 0) => {
                x[0] = ty.round(power(self.between(-8.0, 8.0) as i32) * self.between(1.0, 2.0)) * self.sign();
            }
            // Numbers that are not far from each other.
            ([Input::Real, Input::Real], 1) => {
                x[1] = ty.round(first * power(self.between(-40.0, 40.0) as i32) * self.between(1.0, 2.0));
            }
            ([Input::Real, Input::Real, Input::Real], 0 | 1) => {
                // A sum that cancels.
                let steps = (self.next() % 7) as i64 - 3;
                x[2] = ty.round(-first * second);
                if x[2].is_finite() && x[2] != 0.0 {
                    x[2] = ty.step(x[2], steps);
                }
            }
            ([Input::Real, Input::Real, Input::Real], 2) => {
                // Ordered bounds, and a third argument between zero and one.
                x[0] = self.between(-50.0, 50.0);
                x[1] = x[0] + self.between(0.0, 50.0);
                x[2] = self.unit();
                if self.next() & 1 == 0 {
                    x.rotate_right(1);
                }
                x = x.map(|x| ty.round(x));
            }
            _ => {}
        }
        x
    }
}

/// Returns numbers at which the behavior of functions changes.
pub fn edges(ty: Type) -> Vec<f64> {
    let digits = ty.digits();
    let least = ty.value(1);
    let normal = ty.smallest_normal();
    let mut sizes = vec![
        0.0,
        least,
        3.0 * least,
        normal - least,
        normal,
        normal + least,
        2.0 * normal,
        power(-digits - 1),
        power(-digits),
        power(1 - digits),
        power(-digits / 2),
        power(-10),
        0.1,
        0.25,
        0.5 - power(-digits - 1),
        0.5,
        0.5 + power(-digits),
        0.75,
        1.0 - power(-digits),
        1.0,
        1.0 + power(1 - digits),
        1.5,
        PI / 2.0,
        2.0,
        2.5,
        E,
        3.0,
        PI,
        3.5,
        4.0,
        7.0,
        10.0,
        31.5,
        64.0,
        100.0,
        127.0,
        128.0,
        150.0,
        1000.0,
        power(digits - 2) + 0.5,
        power(digits - 1) - 0.5,
        power(digits - 1) + 1.0,
        power(digits) - 1.0,
        power(digits),
        power(digits) + 2.0,
        power(31),
        power(32),
        power(63),
        power(64),
        1e30,
        ty.largest().sqrt(),
        power(ty.largest_exponent()),
        ty.step(ty.largest(), -1),
        ty.largest(),
        f64::INFINITY,
    ];
    for size in &mut sizes {
        *size = ty.round(*size);
    }
    sizes.dedup();
    sizes.iter().flat_map(|&x| [x, -x]).chain([f64::NAN]).collect()
}

fn int_edges() -> Vec<f64> {
    let sizes = [
        0,
        1,
        2,
        3,
        4,
        5,
        8,
        9,
        10,
        15,
        16,
        24,
        25,
        126,
        127,
        128,
        148,
        149,
        150,
        151,
        254,
        277,
        278,
        1022,
        1023,
        1024,
        1074,
        1075,
        2098,
        2099,
        65535,
        1 << 24,
        (1 << 24) + 1,
        i32::MAX - 1,
        i32::MAX,
    ];
    sizes.iter().flat_map(|&n| [f64::from(n), -f64::from(n)]).chain([f64::from(i32::MIN)]).collect()
}

fn of_input(input: Input, ty: Type) -> Vec<f64> {
    match input {
        Input::Real => edges(ty),
        Input::Int => int_edges(),
        Input::Code => vec![0.0, 1.0, 512.0, 4194304.0, 4294967295.0],
    }
}

/// Returns all combinations of the special values. For three arguments, uses a subset of the values.
fn crossed(function: &Function, ty: Type) -> Vec<[f64; 3]> {
    let lists: Vec<Vec<f64>> = function.inputs.iter().map(|&input| of_input(input, ty)).collect();
    let few = |list: &[f64]| -> Vec<f64> { list.iter().copied().step_by(4).chain([1.0, -1.0]).collect() };
    let mut points = Vec::new();
    match &lists[..] {
        [x] => points.extend(x.iter().map(|&x| [x, 0.0, 0.0])),
        [x, y] => points.extend(x.iter().flat_map(|&x| y.iter().map(move |&y| [x, y, 0.0]))),
        [x, y, z] => {
            let (y, z) = (few(y), few(z));
            for &x in &few(x) {
                points.extend(y.iter().flat_map(|&y| z.iter().map(move |&z| [x, y, z])));
            }
        }
        _ => {}
    }
    points
}

/// Number of arguments to test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Effort {
    /// Few arguments, for the regular tests.
    Light,
    Default,
    /// All floats for functions of one argument.
    Full,
}

/// Arguments for one function, divided into blocks.
pub struct Inputs {
    list: Vec<[f64; 3]>,
    /// Type and step of a sequence that follows the list: every `step`-th number of the type.
    stride: Option<(Type, u64)>,
}

/// Number of points in a block.
// Arbitrary.
pub const BLOCK: usize = 1 << 19;

impl Inputs {
    pub fn new(function: &Function, ty: Type, effort: Effort, seed: u64) -> Self {
        let mut list = crossed(function, ty);
        let one = function.inputs == [Input::Real];
        let (count, stride) = match (ty, effort) {
            (Type::Half, Effort::Light) if one => (0, Some(13)),
            (Type::Half, _) if one => (0, Some(1)),
            (Type::Float, Effort::Light) if one => (1000, Some(400_009)),
            (Type::Float, Effort::Default) if one => (20_000, Some(1021)),
            (Type::Float, Effort::Full) if one => (0, Some(1)),
            (Type::Double, Effort::Light) => (300, None),
            (Type::Double, Effort::Default) => (12_000, None),
            (Type::Double, Effort::Full) => (400_000, None),
            (_, Effort::Light) => (2000, None),
            (_, Effort::Default) => (1 << 20, None),
            (_, Effort::Full) => (1 << 23, None),
        };
        let mut random = Random::new(seed);
        if effort == Effort::Light && list.len() > 2000 {
            // Each seed selects a different subset.
            let step = list.len() / 1500;
            list = list.into_iter().skip((random.next() % step as u64) as usize).step_by(step).collect();
        }
        list.extend((0..count).map(|_| random.point(function, ty)));
        Inputs { list, stride: stride.map(|step| (ty, step)) }
    }

    fn strided(&self) -> u64 {
        self.stride.map_or(0, |(ty, step)| ty.mask() / step + 1)
    }

    pub fn len(&self) -> u64 {
        self.list.len() as u64 + self.strided()
    }

    /// Returns the points from `start`, at most a block of them.
    pub fn block(&self, start: u64) -> Vec<[f64; 3]> {
        let end = (start + BLOCK as u64).min(self.len());
        let listed = self.list.len() as u64;
        let mut points: Vec<[f64; 3]> =
            self.list[start.min(listed) as usize..end.min(listed) as usize].to_vec();
        if let Some((ty, step)) = self.stride {
            let from = start.max(listed) - listed;
            points.extend((from..end.max(listed) - listed).map(|i| [ty.value(i * step), 0.0, 0.0]));
        }
        points
    }

    /// Returns a sample of all kinds of arguments, for a comparison of vectors with scalars.
    pub fn sample(function: &Function, ty: Type, effort: Effort, seed: u64) -> Vec<[f64; 3]> {
        let all = crossed(function, ty);
        let step = all.len() / 400 + 1;
        let mut random = Random::new(seed ^ 0x5eed);
        let mut points: Vec<[f64; 3]> = all.into_iter().step_by(step).collect();
        let wanted = if effort == Effort::Light { 480 } else { 1920 };
        while points.len() < wanted {
            points.push(random.point(function, ty));
        }
        points.truncate(wanted);
        points
    }
}
