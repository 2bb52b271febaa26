//! Measurement of the accuracy of mathematical functions, in the manner of the Khronos test `math_brute_force`. It
//! runs every function on many arguments through the C API and compares the results with a reference of higher
//! precision.
//!
//! Functions of one float are tested with all 2^32 arguments or with every n-th of them. Other functions are tested
//! with all combinations of special values of the type, and with random numbers of several distributions
//! (`inputs`). The reference is exact, or has many more bits than the type (`reference`). The error in ulps of the
//! infinitely precise result (`ulp`) is compared with the bound of the full profile (`functions`), as modified by
//! build options and the device (`judge`).

mod device;
mod functions;
mod geometric;
mod inputs;
mod judge;
mod number;
mod reference;
mod table;
mod ulp;

use std::process::ExitCode;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, Target};
use device::{CompiledFunction, WIDTHS};
use functions::{Bound, Function};
use inputs::Inputs;
use judge::{Judge, Mode, Verdict};

pub use inputs::Effort;
pub use number::Type;

/// Parameters of a measurement.
pub struct Accuracy {
    /// True if the command line requests a measurement.
    pub is_requested: bool,
    /// Names of the functions, or empty for all functions.
    pub functions: Vec<String>,
    pub types: Vec<Type>,
    pub effort: Effort,
    pub seed: u64,
    pub options: String,
    pub table: bool,
    /// True if vectors must give the same bits as scalars.
    pub same_lanes: bool,
}

impl Default for Accuracy {
    fn default() -> Self {
        Accuracy {
            is_requested: false,
            functions: Vec::new(),
            types: Type::ALL.to_vec(),
            effort: Effort::Default,
            seed: 1,
            options: String::new(),
            table: false,
            same_lanes: false,
        }
    }
}

/// Result for one argument, with its verdict.
#[derive(Clone, Debug)]
struct Case {
    /// Arguments as text.
    at: String,
    output: usize,
    got: f64,
    /// Floating-point type of the result, or `None` for an integer.
    ty: Option<Type>,
    verdict: Verdict,
}

impl Case {
    /// Returns a sort key that is greater for worse results.
    fn weight(verdict: &Verdict) -> (bool, f64) {
        (verdict.fails, verdict.error.abs())
    }

    /// Returns a case if its verdict is worse than that of `than`, or if `than` is `None` and the result is not
    /// exact.
    fn if_worse(
        than: Option<&Case>,
        verdict: Verdict,
        at: impl FnOnce() -> String,
        got: f64,
        ty: Option<Type>,
        output: usize,
    ) -> Option<Case> {
        let previous = than.map_or((false, 0.0), |case| Case::weight(&case.verdict));
        (Case::weight(&verdict) > previous).then(|| Case { at: at(), output, got, ty, verdict })
    }
}

/// Results for one function and type.
pub struct Measurement {
    function: String,
    ty: Type,
    bound: Bound,
    points: u64,
    failures: u64,
    worst: Option<Case>,
    /// First difference between the results of a vector and those of scalars, as text.
    lanes: Option<String>,
    /// True if such a difference is an error.
    broken: bool,
}

impl Measurement {
    fn new(function: String, ty: Type, bound: Bound) -> Self {
        Measurement { function, ty, bound, points: 0, failures: 0, worst: None, lanes: None, broken: false }
    }

    pub fn passes(&self) -> bool {
        self.failures == 0 && !self.broken
    }

    fn merge(&mut self, failures: u64, worst: Option<Case>) {
        self.failures += failures;
        let Some(case) = worst else { return };
        if self.worst.as_ref().is_none_or(|worst| Case::weight(&case.verdict) > Case::weight(&worst.verdict))
        {
            self.worst = Some(case);
        }
    }
}

/// Runs the measurement for the command line.
pub fn run(accuracy: &Accuracy, target: &Target) -> ExitCode {
    let all = functions::all();
    let unknown =
        accuracy.functions.iter().find(|name| all.iter().all(|f| f.name != **name) && !geometric::has(name));
    if let Some(name) = unknown {
        return crate::usage(&format!("no function {name}"));
    }
    let results = Ctx::new(target).and_then(|cx| {
        measure(&cx, accuracy, |measured| {
            if !accuracy.table {
                println!("{measured}");
            }
        })
    });
    let results = match results {
        Ok(results) => results,
        Err(Failure::Skipped(error) | Failure::Failed(error)) => {
            eprintln!("grus-conformance: {error}");
            return ExitCode::FAILURE;
        }
    };
    if accuracy.table {
        print!("{}", table::markdown(&results));
    }
    let bad = results.iter().filter(|measured| !measured.passes()).count();
    eprintln!("{bad} of {} functions fail", results.len());
    if bad == 0 && !results.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures the selected functions for the types that the device supports.
pub fn measure(
    cx: &Ctx,
    accuracy: &Accuracy,
    mut done: impl FnMut(&Measurement),
) -> Outcome<Vec<Measurement>> {
    let mut results = Vec::new();
    let all = functions::all();
    for function in &all {
        if !accuracy.functions.is_empty() && !accuracy.functions.iter().any(|name| name == function.name) {
            continue;
        }
        for &ty in &accuracy.types {
            if function.bound(ty) == Bound::Missing {
                continue;
            }
            let mut available = true;
            for extension in device::extensions(function, ty) {
                available &= device::has_extension(cx, extension)?;
            }
            if available {
                let measured = measure_one(cx, function, ty, accuracy).map_err(|error| {
                    Failure::Failed(format!("{} {}: {error:?}", function.name, ty.name()))
                })?;
                done(&measured);
                results.push(measured);
            }
        }
    }
    results.extend(geometric::measure(cx, accuracy, &mut done)?);
    Ok(results)
}

fn measure_one(cx: &Ctx, function: &Function, ty: Type, accuracy: &Accuracy) -> Outcome<Measurement> {
    let mut mode = Mode::of_options(&accuracy.options);
    mode.flushes |= !device::has_subnormals(cx, ty)?;
    let bound = mode.bound(function, ty);
    let mut measured = Measurement::new(function.name.to_owned(), ty, bound);
    let inputs = Inputs::new(function, ty, accuracy.effort, accuracy.seed);
    let room = (inputs.len() as usize).clamp(4096, inputs::BLOCK);
    let widths: &[usize] = if accuracy.effort == Effort::Light { &[1, 3] } else { &WIDTHS };
    let compiled = CompiledFunction::new(cx, function, ty, &accuracy.options, widths, room)?;
    while measured.points < inputs.len() {
        let points = inputs.block(measured.points);
        let results = compiled.run(&points, 1)?;
        measured.points += points.len() as u64;
        let judge = || Judge { function, ty, mode, bound, calc: None };
        for (failures, worst) in in_parallel(&points, &results, judge) {
            measured.merge(failures, worst);
        }
    }
    let judge = Judge { function, ty, mode, bound, calc: None };
    compare_lanes(&compiled, judge, accuracy, widths, &mut measured)?;
    Ok(measured)
}

/// Judges the results of a block, in a thread for each processor.
fn in_parallel<'a>(
    points: &[[f64; 3]],
    results: &[Vec<u64>],
    judge: impl Fn() -> Judge<'a> + Sync,
) -> Vec<(u64, Option<Case>)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = points.len().div_ceil(threads).max(1);
    let part = |from: usize| {
        let mut judge = judge();
        let mut failures = 0;
        let mut worst: Option<Case> = None;
        for i in from..(from + share).min(points.len()) {
            for (output, bits) in results.iter().enumerate() {
                let verdict = judge.judge(output, points[i], bits[i]);
                failures += u64::from(verdict.fails);
                let kind = judge.function.outputs[output].kind;
                let at = || table::point(judge.function.inputs.len(), &points[i], judge.ty);
                let got = kind.value(judge.ty, bits[i]);
                let case = Case::if_worse(worst.as_ref(), verdict, at, got, kind.real(judge.ty), output);
                worst = case.or(worst);
            }
        }
        (failures, worst)
    };
    let part = &part;
    std::thread::scope(|scope| {
        let started: Vec<_> =
            (0..points.len()).step_by(share).map(|from| scope.spawn(move || part(from))).collect();
        started.into_iter().map(|thread| thread.join().expect("a reference does not panic")).collect()
    })
}

/// Compares the results of vectors with those of scalars, and judges those that differ. The specification permits
/// differences. NaNs are equal whatever their bits.
fn compare_lanes(
    compiled: &CompiledFunction,
    mut judge: Judge,
    accuracy: &Accuracy,
    widths: &[usize],
    measured: &mut Measurement,
) -> Outcome {
    let (function, ty) = (judge.function, judge.ty);
    let points = Inputs::sample(function, ty, accuracy.effort, accuracy.seed);
    let scalar = compiled.run(&points, 1)?;
    for &width in &widths[1..] {
        let vector = compiled.run(&points, width)?;
        for (index, output) in function.outputs.iter().enumerate() {
            for (i, &point) in points.iter().enumerate() {
                let (a, b) = (scalar[index][i], vector[index][i]);
                let (one, got) = (output.kind.value(ty, a), output.kind.value(ty, b));
                if a == b || (one.is_nan() && got.is_nan()) {
                    continue;
                }
                let verdict = judge.judge(index, point, b);
                let at = table::point(function.inputs.len(), &point, ty);
                let kind = output.kind.real(ty);
                let case = Case::if_worse(measured.worst.as_ref(), verdict, || at.clone(), got, kind, index);
                measured.merge(u64::from(verdict.fails), case);
                let text = format!("{width} lanes differ from one at {at}: {b:#x}, not {a:#x}");
                measured.lanes.get_or_insert(text);
            }
        }
    }
    measured.broken |= accuracy.same_lanes && measured.lanes.is_some();
    Ok(())
}
