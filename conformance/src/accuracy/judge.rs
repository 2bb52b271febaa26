//! Comparison of a result with the reference. Build options and the device determine which deviations are allowed.

use super::functions::{Bound, Function, Kind, Limit};
use super::number::{Type, power};
use super::reference::wide::Calc;
use super::reference::{Reference, Want};
use super::ulp::{Wide, error};

/// Effects of build options and of the device on results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// True if subnormal numbers may be flushed to zero.
    pub flushes: bool,
    /// True if arguments and results are never infinite or NaN.
    pub finite: bool,
    /// True if the signs of zeros do not matter.
    pub unsigned_zeros: bool,
    pub relaxed: bool,
    /// True with -cl-fp32-correctly-rounded-divide-sqrt.
    pub correct_roots: bool,
}

impl Mode {
    pub fn of_options(options: &str) -> Self {
        let has = |names: &[&str]| options.split_whitespace().any(|option| names.contains(&option));
        let relaxed = has(&["-cl-fast-relaxed-math"]);
        let unsafe_math = relaxed || has(&["-cl-unsafe-math-optimizations"]);
        Mode {
            flushes: unsafe_math || has(&["-cl-denorms-are-zero"]),
            finite: relaxed || has(&["-cl-finite-math-only"]),
            unsigned_zeros: unsafe_math || has(&["-cl-no-signed-zeros"]),
            relaxed: unsafe_math,
            correct_roots: has(&["-cl-fp32-correctly-rounded-divide-sqrt"]),
        }
    }

    /// Returns the error bound of a function in this mode.
    pub fn bound(&self, function: &Function, ty: Type) -> Bound {
        let default = function.bound(ty);
        if self.relaxed && ty == Type::Float && default != Bound::Missing {
            return function.relaxed;
        }
        let rooted = ["divide", "recip", "sqrt"].contains(&function.name);
        if self.correct_roots && ty == Type::Float && rooted {
            return Bound::Correct;
        }
        default
    }
}

/// Error of a result and whether it exceeds the bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Verdict {
    /// Error in ulps, or the difference if the bound is absolute.
    pub error: f64,
    pub fails: bool,
    pub want: f64,
}

const CORRECT: Verdict = Verdict { error: 0.0, fails: false, want: 0.0 };

/// Checker of the results of one function.
pub struct Judge<'a> {
    pub function: &'a Function,
    pub ty: Type,
    pub mode: Mode,
    pub bound: Bound,
    /// State of the arbitrary-precision calculation, created at first use.
    pub calc: Option<Calc>,
}

impl Judge<'_> {
    /// Checks whether the specification defines the function for these arguments.
    fn is_in_domain(&self, x: [f64; 3]) -> bool {
        let finite = !self.mode.finite || x.iter().all(|x| x.is_finite());
        let restricted = self.mode.relaxed || matches!(self.bound, Bound::Absolute(..)) || self.is_common();
        finite && (!restricted || self.function.domain.is_none_or(|domain| domain(x)))
    }

    /// Checks whether the domain of the function is restricted in every mode.
    fn is_common(&self) -> bool {
        ["clamp", "max", "min", "mix", "smoothstep", "step"].contains(&self.function.name)
    }

    /// Judges output `index`, for which the device returned `bits`.
    pub fn judge(&mut self, index: usize, x: [f64; 3], bits: u64) -> Verdict {
        let output = self.function.outputs[index];
        let got = output.kind.value(self.ty, bits);
        if !self.is_in_domain(x) {
            return CORRECT;
        }
        let verdict = self.judge_value(index, x, got);
        if !verdict.fails || !(self.mode.flushes || self.function.flushes) {
            return verdict;
        }
        // The device may have flushed each subnormal argument to a zero of either sign. It may also have flushed
        // the result, because the result may be a subnormal argument.
        let zero = output.kind.real(self.ty).is_some_and(|ty| ty.is_subnormal(got));
        let gots = [got, if zero { 0f64.copysign(got) } else { got }];
        for choice in 0..27 {
            let mut flushed = x;
            let mut rest = choice;
            for x in &mut flushed {
                if self.ty.is_subnormal(*x) && rest % 3 != 0 {
                    *x = if rest % 3 == 1 { 0.0 } else { -0.0 };
                }
                rest /= 3;
            }
            if !self.is_in_domain(flushed) {
                continue;
            }
            for got in gots {
                let verdict_of_flushed = self.judge_value(index, flushed, got);
                if !verdict_of_flushed.fails {
                    return Verdict { error: 0.0, ..verdict_of_flushed };
                }
            }
        }
        if self.has_flushed_intermediate(output.kind, x, got) { CORRECT } else { verdict }
    }

    /// Checks whether flushing a subnormal intermediate value explains the result: the product of mad, or the
    /// remainder that determines the last bit of the quotient of remquo.
    fn has_flushed_intermediate(&self, kind: Kind, [x, y, z]: [f64; 3], got: f64) -> bool {
        match self.function.name {
            "mad" => got == z && (x * y).abs() < self.ty.smallest_normal(),
            "remquo" => kind == Kind::Quotient && y.abs() < 2.0 * self.ty.smallest_normal(),
            _ => false,
        }
    }

    fn judge_value(&mut self, index: usize, x: [f64; 3], got: f64) -> Verdict {
        let output = self.function.outputs[index];
        let reference = match output.correct {
            Some(exact) if self.bound == Bound::Correct => Reference::Exact(exact),
            _ => output.reference,
        };
        let want = reference.want(self.ty, x, &mut self.calc);
        match want {
            Want::Either(first, second) => {
                let verdict = self.against(output.kind, x, got, Want::Exact(first));
                let other = self.against(output.kind, x, got, Want::Exact(second));
                if verdict.fails || other.error.abs() < verdict.error.abs() { other } else { verdict }
            }
            want => self.against(output.kind, x, got, want),
        }
    }

    fn against(&self, kind: Kind, x: [f64; 3], got: f64, want: Want) -> Verdict {
        let Some(ty) = kind.real(self.ty) else {
            let Want::Exact(value) = want else { return CORRECT };
            let same = match kind {
                // The specification does not define the sign of gamma where gamma has none.
                Kind::Int if self.bound == Bound::Any && !x[0].is_finite() => true,
                Kind::Quotient => got % 128.0 == value,
                _ => got == value,
            };
            return Verdict { error: if same { 0.0 } else { f64::INFINITY }, fails: !same, want: value };
        };
        let shown = want.shown(ty);
        if self.mode.finite && !shown.is_finite() {
            return CORRECT;
        }
        let (wide, exact) = match want {
            Want::Exact(value) | Want::Either(value, _) => (Wide::from(value), true),
            Want::Near(wide) => (wide, false),
        };
        let limit = self.bound.at(x, self.function.inputs.len());
        let ulps = error(got, wide, ty);
        let (error, most) = match limit {
            Limit::None => (ulps, f64::INFINITY),
            Limit::Ulps(most) => (ulps, most),
            Limit::Absolute(most) => (got - wide.nearest(), most),
        };
        // An exact reference tolerates no error if it is infinite or NaN, and no wrong sign if it is zero.
        let signed = !self.mode.unsigned_zeros && got == 0.0 && shown == 0.0;
        let sign = signed && got.is_sign_negative() != shown.is_sign_negative() && limit != Limit::None;
        let known = exact && !shown.is_finite() && error != 0.0 && limit != Limit::None;
        let error = if error.is_nan() { f64::INFINITY } else { error };
        let mut verdict = Verdict { error, fails: error.abs() > most || sign || known, want: shown };
        if limit == Limit::None {
            verdict.fails = false;
        }
        let flushes = self.mode.flushes || self.function.flushes;
        let tiny =
            wide.nearest().abs() < ty.smallest_normal() * (1.0 + most.max(1.0) * power(1 - ty.digits()));
        if verdict.fails && flushes && got == 0.0 && tiny && wide.hi.is_finite() {
            return CORRECT;
        }
        if verdict.fails && sign && error == 0.0 {
            verdict.error = f64::INFINITY;
        }
        verdict
    }
}
