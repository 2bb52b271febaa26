//! Accuracy of the geometric functions (s6.13.5) on one to four lanes. As there are few points, all results are
//! compared with arbitrary precision. The points include sums that cancel, components of very different magnitudes,
//! squares that overflow or underflow, and the special values of normalize.

use std::fmt::Write;

use cl_sys::cl_mem;

use super::functions::Bound;
use super::inputs::{Effort, Random, edges};
use super::number::{Type, power};
use super::reference::wide;
use super::ulp::{Wide, error};
use super::{Accuracy, Case, Measurement, Verdict};
use crate::check::{Failure, Outcome};
use crate::context::Ctx;
use crate::ok;

/// Kind of computation on one or two vectors.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Dot,
    Cross,
    Distance,
    Length,
    Normalize,
}

struct Geometric {
    name: &'static str,
    shape: Shape,
    /// True for the `fast_` variants: only 13 bits need to be correct, and squares may overflow.
    fast: bool,
}

const ALL: [Geometric; 8] = [
    Geometric { name: "cross", shape: Shape::Cross, fast: false },
    Geometric { name: "distance", shape: Shape::Distance, fast: false },
    Geometric { name: "dot", shape: Shape::Dot, fast: false },
    Geometric { name: "length", shape: Shape::Length, fast: false },
    Geometric { name: "normalize", shape: Shape::Normalize, fast: false },
    Geometric { name: "fast_distance", shape: Shape::Distance, fast: true },
    Geometric { name: "fast_length", shape: Shape::Length, fast: true },
    Geometric { name: "fast_normalize", shape: Shape::Normalize, fast: true },
];

pub fn has(name: &str) -> bool {
    ALL.iter().any(|function| function.name == name)
}

/// Returns the name under which results of a function of this width are reported.
fn title(name: &str, lanes: usize) -> String {
    format!("{name}, {lanes} wide")
}

/// Returns the bound of a function, given its name from `title`.
pub fn bound(wanted: &str, ty: Type) -> Bound {
    let of_width = |lanes| ALL.iter().find(|function| title(function.name, lanes) == wanted);
    let found = (1..=4).find_map(|lanes| of_width(lanes).map(|function| (function, lanes)));
    match found {
        Some((function, _)) if function.fast && ty != Type::Float => Bound::Missing,
        Some((function, lanes)) => function.bound(ty, lanes),
        None => Bound::Missing,
    }
}

type Vector = [f64; 4];

impl Geometric {
    /// Returns the bound, in ulps, or for sums of products relative to the square of the largest component.
    fn bound(&self, ty: Type, lanes: usize) -> Bound {
        let n = lanes as f64;
        let epsilon = power(1 - ty.digits());
        let ulps = match (self.shape, self.fast, ty) {
            (Shape::Dot, ..) => return Bound::Absolute((2.0 * n - 1.0) * epsilon, f64::INFINITY),
            (Shape::Cross, ..) => return Bound::Absolute(3.0 * epsilon, f64::INFINITY),
            (Shape::Distance, true, _) => 8191.5 + 2.0 * n,
            (Shape::Length, true, _) => 8191.5 + n,
            (Shape::Normalize, true, _) => 8192.0 + n,
            (Shape::Distance, _, Type::Float) => 2.5 + 2.0 * n,
            (Shape::Distance, _, Type::Double) => 5.5 + 2.0 * n,
            (Shape::Distance, _, Type::Half) => 2.0 * n,
            (Shape::Length, _, Type::Float) => 2.75 + 0.5 * n,
            (Shape::Length, _, Type::Double) => 5.5 + n,
            (Shape::Length, _, Type::Half) => 0.25 + 0.5 * n,
            (Shape::Normalize, _, Type::Float) => 2.0 + n,
            (Shape::Normalize, _, Type::Double) => 4.5 + n,
            (Shape::Normalize, _, Type::Half) => 1.0 + n,
        };
        Bound::Ulps(ulps)
    }

    fn widths(&self) -> &'static [usize] {
        if self.shape == Shape::Cross { &[3, 4] } else { &[1, 2, 3, 4] }
    }

    fn results(&self, lanes: usize) -> usize {
        if matches!(self.shape, Shape::Cross | Shape::Normalize) { lanes } else { 1 }
    }

    fn arguments(&self) -> usize {
        if matches!(self.shape, Shape::Length | Shape::Normalize) { 1 } else { 2 }
    }

    /// Returns the kernel. Vectors of any width are four elements apart in the buffers.
    fn source(&self, ty: Type, lanes: usize) -> String {
        let element = ty.name();
        let mut text = String::new();
        if let Some(extension) = ty.extension() {
            let _ = writeln!(text, "#pragma OPENCL EXTENSION {extension} : enable");
        }
        let vector = |n: usize| if n == 1 { element.to_owned() } else { format!("{element}{n}") };
        let load = |name: &str| {
            let parts: Vec<String> = (0..lanes).map(|lane| format!("{name}[4 * i + {lane}]")).collect();
            format!("({})({})", vector(lanes), parts.join(", "))
        };
        let arguments =
            if self.arguments() == 1 { load("x") } else { format!("{}, {}", load("x"), load("y")) };
        let results = self.results(lanes);
        let _ = writeln!(
            text,
            "kernel void k(global const {element} *x, global const {element} *y, global {element} *r)\n{{\n    \
             size_t i = get_global_id(0);\n    {} v = {}({arguments});",
            vector(results),
            self.name
        );
        for lane in 0..results {
            let part = if results == 1 { String::new() } else { format!(".s{lane}") };
            let _ = writeln!(text, "    r[4 * i + {lane}] = v{part};");
        }
        text.push_str("}\n");
        text
    }

    /// Checks whether the specification defines the result for these vectors.
    fn is_asked(&self, x: &[f64], y: &[f64], ty: Type) -> bool {
        let both = x.iter().chain(y);
        let room = ty.largest_exponent() / 2 - 2;
        // Squares and their sum neither overflow nor underflow.
        let tame = |x: &f64| *x == 0.0 || (x.abs() > power(-room) && x.abs() < power(room));
        match self.shape {
            Shape::Normalize if !self.fast => true,
            Shape::Length | Shape::Distance if !self.fast => both.clone().all(|x| x.is_finite()),
            _ => both.clone().all(tame),
        }
    }

    /// Returns the expected value of a lane of the result, and the magnitude to which an absolute bound refers.
    fn want(&self, x: &[f64], y: &[f64], lane: usize) -> (Wide, f64) {
        let largest = x.iter().chain(y).fold(0f64, |most, x| most.max(x.abs()));
        let difference: Vec<_> = x.iter().zip(y).map(|(&x, &y)| wide::difference(x, y)).collect();
        let own: Vec<_> = x.iter().map(|&x| wide::big(x)).collect();
        let value = match self.shape {
            Shape::Dot => wide::to_wide(&wide::dot(x, y)),
            Shape::Cross if lane == 3 => Wide::from(0.0),
            Shape::Cross => {
                let (i, j) = ((lane + 1) % 3, (lane + 2) % 3);
                wide::to_wide(&wide::dot(&[x[i], -x[j]], &[y[j], y[i]]))
            }
            Shape::Length => wide::to_wide(&wide::norm(&own)),
            Shape::Distance => wide::to_wide(&wide::norm(&difference)),
            Shape::Normalize => normalized(x, lane),
        };
        (value, largest * largest)
    }
}

/// Returns the exact result of normalize (s6.13.5): NaN if any component is NaN, zero for a zero vector, and a
/// vector along the infinite components if there are any.
fn normalized(x: &[f64], lane: usize) -> Wide {
    if x.iter().any(|x| x.is_nan()) {
        return f64::NAN.into();
    }
    if x.iter().all(|&x| x == 0.0) {
        return x[lane].into();
    }
    let infinite = x.iter().any(|x| x.is_infinite());
    let simple = |x: &f64| if x.is_infinite() { 1f64.copysign(*x) } else { 0f64.copysign(*x) };
    let x: Vec<f64> = if infinite { x.iter().map(simple).collect() } else { x.to_vec() };
    if x[lane] == 0.0 {
        return x[lane].into();
    }
    let size = wide::norm(&x.iter().map(|&x| wide::big(x)).collect::<Vec<_>>());
    wide::to_wide(&wide::quotient(&wide::big(x[lane]), &size))
}

fn vector(random: &mut Random, edges: &[f64], ty: Type) -> Vector {
    let range = ty.largest_exponent() + ty.digits();
    let middle = random.between(-f64::from(range), f64::from(range));
    let kind = random.next() % 4;
    std::array::from_fn(|_| {
        let x = match kind {
            0 => edges[random.next() as usize % edges.len()],
            1 => random.between(-10.0, 10.0),
            // All components have a similar magnitude, which is arbitrary.
            _ => {
                let exponent = middle + random.between(-3.0, 3.0);
                power(exponent.clamp(-1074.0, 1023.0) as i32) * random.between(1.0, 2.0) * random.sign()
            }
        };
        ty.round(x)
    })
}

/// Measures the selected functions, in every width and type that the device supports.
pub fn measure(
    cx: &Ctx,
    accuracy: &Accuracy,
    done: &mut impl FnMut(&Measurement),
) -> Outcome<Vec<Measurement>> {
    let mut results = Vec::new();
    for function in &ALL {
        let asked = &accuracy.functions;
        if !asked.is_empty() && !asked.iter().any(|name| name == function.name) {
            continue;
        }
        for &ty in &accuracy.types {
            let available = ty.extension().map_or(Ok(true), |name| super::device::has_extension(cx, name))?;
            if !available || (function.fast && ty != Type::Float) {
                continue;
            }
            for &lanes in function.widths() {
                let measured = one(cx, function, ty, lanes, accuracy).map_err(|error| {
                    Failure::Failed(format!("{} of {lanes} {}: {error:?}", function.name, ty.name()))
                })?;
                done(&measured);
                results.push(measured);
            }
        }
    }
    Ok(results)
}

fn one(cx: &Ctx, function: &Geometric, ty: Type, lanes: usize, accuracy: &Accuracy) -> Outcome<Measurement> {
    let mut random = Random::new(accuracy.seed);
    let edges = edges(ty);
    let count = match accuracy.effort {
        Effort::Light => 200,
        Effort::Default => 5000,
        Effort::Full => 100_000,
    };
    let points: Vec<[Vector; 2]> = (0..count)
        .map(|_| {
            let x = vector(&mut random, &edges, ty);
            let y = vector(&mut random, &edges, ty);
            // Some vectors are close to each other.
            let near = y.map(|y| ty.round(y * power(-12)));
            let close = std::array::from_fn(|i| ty.round(x[i] + near[i]));
            [x, if random.next() & 3 == 0 { close } else { y }]
        })
        .collect();
    let got = run(cx, function, ty, lanes, accuracy, &points)?;
    let bound = function.bound(ty, lanes);
    let mode = super::Mode::of_options(&accuracy.options);
    let flushes = mode.flushes || !super::device::has_subnormals(cx, ty)?;
    let mut measured = Measurement::new(title(function.name, lanes), ty, bound);
    measured.points = count as u64;
    for (i, [x, y]) in points.iter().enumerate() {
        let (x, y) = (&x[..lanes], if function.arguments() == 1 { &[][..] } else { &y[..lanes] });
        let tiny = |x: f64| x != 0.0 && x.abs() < 4.0 * ty.smallest_normal();
        let differences = x.iter().zip(y).map(|(x, y)| x - y);
        let small = x.iter().chain(y).copied().chain(differences).any(tiny);
        let special = mode.finite && x.iter().chain(y).any(|x| !x.is_finite());
        if !function.is_asked(x, y, ty) || special || (flushes && small) {
            continue;
        }
        for lane in 0..function.results(lanes) {
            let (want, size) = function.want(x, y, lane);
            let got = got[4 * i + lane];
            let (error, most) = match bound {
                Bound::Absolute(most, _) => ((got - want.nearest()) / size.max(ty.smallest_normal()), most),
                Bound::Ulps(most) => (error(got, want, ty), most),
                _ => (0.0, 0.0),
            };
            let error = if error.is_nan() { f64::INFINITY } else { error };
            let vanished = flushes && got == 0.0 && want.nearest().abs() < 2.0 * ty.smallest_normal();
            let fails = error.abs() > most && !vanished;
            let verdict = Verdict { error, fails, want: want.round(ty) };
            let at = || {
                let list: Vec<String> = x.iter().chain(y).map(|&x| super::table::number(x, ty)).collect();
                format!("{} lane {lane}", list.join(", "))
            };
            let case = Case::if_worse(measured.worst.as_ref(), verdict, at, got, Some(ty), 0);
            measured.merge(u64::from(fails), case);
        }
    }
    Ok(measured)
}

/// Runs the kernel and returns the results of all points, four elements for each.
fn run(
    cx: &Ctx,
    function: &Geometric,
    ty: Type,
    lanes: usize,
    accuracy: &Accuracy,
    points: &[[Vector; 2]],
) -> Outcome<Vec<f64>> {
    let kernel = cx.kernel_with(&function.source(ty, lanes), &accuracy.options, "k")?;
    let size = ty.size();
    let bytes = |which: usize| -> Vec<u8> {
        let elements = points.iter().flat_map(|pair| pair[which]);
        elements.flat_map(|x| ty.bits(x).to_le_bytes()[..size].to_vec()).collect()
    };
    let buffers: [cl_mem; 3] =
        [cx.buffer(&bytes(0))?, cx.buffer(&bytes(1))?, cx.empty_buffer(4 * size * points.len())?];
    for (index, buffer) in buffers.iter().enumerate() {
        cx.arg(kernel, index as u32, *buffer)?;
    }
    let event = cx.launch(kernel, points.len(), None)?;
    let written: Vec<u8> = cx.contents(buffers[2], 4 * size * points.len())?;
    ok!(cx.clReleaseEvent(event));
    ok!(cx.clReleaseKernel(kernel));
    for buffer in buffers {
        ok!(cx.clReleaseMemObject(buffer));
    }
    let value = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..size].copy_from_slice(chunk);
        ty.value(u64::from_le_bytes(word))
    };
    Ok(written.chunks_exact(size).map(value).collect())
}
