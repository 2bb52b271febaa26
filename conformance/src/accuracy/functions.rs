//! Table of the functions with their error bounds for the full profile: tables 65 (float), 68 (double) and 67 (fast
//! relaxed math) of OpenCL C, and the table of cl_khr_fp16.

use super::number::{Type, power};
use super::reference::{Near, Reference, exact, single, special, wide};

/// Maximum error of a result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// No function for this type.
    Missing,
    /// Implementation-defined error.
    Any,
    /// Exact or correctly rounded result.
    Correct,
    Ulps(f64),
    /// Maximum absolute error, for arguments up to a magnitude. There is no bound beyond it.
    Absolute(f64, f64),
    /// Maximum error in ulps, for arguments up to a magnitude.
    UlpsWithin(f64, f64),
    /// Maximum error in ulps, for arguments whose magnitude is from 2^-n to 2^n.
    UlpsBetween(f64, i32),
    /// 3 + floor(|2 x|) ulps, the bound of exp and exp2.
    Growing,
    /// 2^-21 in [1/2, 2], else 3 ulps: the bound of logarithms.
    Logarithm,
}

/// Bound for specific arguments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Limit {
    None,
    Ulps(f64),
    Absolute(f64),
}

impl Bound {
    pub fn at(self, [x, y, _]: [f64; 3], arguments: usize) -> Limit {
        match self {
            Bound::Missing | Bound::Any => Limit::None,
            Bound::Correct => Limit::Ulps(0.0),
            Bound::Ulps(ulps) => Limit::Ulps(ulps),
            Bound::Absolute(difference, size) if x.abs() <= size => Limit::Absolute(difference),
            Bound::UlpsWithin(ulps, size) if x.abs() <= size => Limit::Ulps(ulps),
            Bound::UlpsBetween(ulps, n) => {
                let inside = |x: f64| x.abs() >= power(-n) && x.abs() <= power(n);
                let all = inside(x) && (arguments < 2 || inside(y));
                if all { Limit::Ulps(ulps) } else { Limit::None }
            }
            Bound::Absolute(..) | Bound::UlpsWithin(..) => Limit::None,
            Bound::Growing => Limit::Ulps(3.0 + (2.0 * x).abs().floor()),
            Bound::Logarithm if (0.5..=2.0).contains(&x) => Limit::Absolute(power(-21)),
            Bound::Logarithm => Limit::Ulps(3.0),
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Bound::Missing => write!(f, "-"),
            Bound::Any => write!(f, "any"),
            Bound::Correct => write!(f, "exact"),
            Bound::Ulps(ulps) => write!(f, "{ulps}"),
            Bound::Absolute(difference, f64::INFINITY) => write!(f, "{difference:.2e} abs"),
            Bound::Absolute(difference, size) => write!(f, "{difference:.2e} abs to {size:.3}"),
            Bound::UlpsWithin(ulps, size) => write!(f, "{ulps} to {size}"),
            Bound::UlpsBetween(ulps, n) => write!(f, "{ulps} in 2^-{n}..2^{n}"),
            Bound::Growing => write!(f, "3 + |2x|"),
            Bound::Logarithm => write!(f, "3, 2^-21 abs near 1"),
        }
    }
}

/// Type of an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Input {
    Real,
    Int,
    /// Unsigned integer as wide as the type.
    Code,
}

/// Type of a result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Real,
    /// Floating-point number of another type.
    Other(Type),
    Int,
    /// Integer of which only the sign and the seven lowest bits are defined.
    Quotient,
}

#[derive(Clone, Copy)]
pub struct Output {
    pub kind: Kind,
    pub reference: Reference,
    /// Reference to use if the bound requires a correctly rounded result.
    pub correct: Option<fn(Type, [f64; 3]) -> f64>,
}

/// Predicate for arguments for which the specification defines a function.
pub type Domain = fn([f64; 3]) -> bool;

pub struct Function {
    pub name: &'static str,
    /// Statements that compute `r`, and perhaps `s`, from `x`, `y` and `z`.
    pub body: String,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    pub float: Bound,
    pub double: Bound,
    pub half: Bound,
    /// Bound for float with -cl-fast-relaxed-math.
    pub relaxed: Bound,
    /// True if the function may flush subnormal numbers to zero.
    pub flushes: bool,
    pub domain: Option<Domain>,
}

impl Function {
    pub fn bound(&self, ty: Type) -> Bound {
        match ty {
            Type::Float => self.float,
            Type::Double => self.double,
            Type::Half => self.half,
        }
    }
}

use Bound::{Absolute, Any, Correct, Growing, Logarithm, Missing, Ulps, UlpsBetween, UlpsWithin};
use Input::{Code, Int, Real};

fn function(name: &'static str, body: &str, inputs: &[Input], outputs: &[Output]) -> Function {
    Function {
        name,
        body: body.to_owned(),
        inputs: inputs.to_vec(),
        outputs: outputs.to_vec(),
        float: Correct,
        double: Correct,
        half: Correct,
        relaxed: Correct,
        flushes: false,
        domain: None,
    }
}

/// Returns the statement `r = NAME(x, y, ..);`.
fn call(name: &str, arguments: usize) -> String {
    format!("r = {name}({});", ["x", "y", "z"][..arguments].join(", "))
}

fn of(kind: Kind, reference: Reference) -> Output {
    Output { kind, reference, correct: None }
}

/// Describes a function that is exact or correctly rounded in all types.
macro_rules! exact {
    ($name:ident, $inputs:expr) => {
        function(
            stringify!($name),
            &call(stringify!($name), $inputs.len()),
            &$inputs,
            &[of(Kind::Real, Reference::Exact(exact::$name))],
        )
    };
    ($name:ident or $other:ident, $inputs:expr) => {
        function(
            stringify!($name),
            &call(stringify!($name), $inputs.len()),
            &$inputs,
            &[of(Kind::Real, Reference::Either(exact::$name, exact::$other))],
        )
    };
}

fn near(special: fn([f64; 3]) -> Option<f64>, single: fn([f64; 3]) -> f64, wide: wide::WideFn) -> Reference {
    Reference::Near(Near { special, single, wide })
}

/// Describes the reference of a function of one argument that `libm` provides.
macro_rules! in_libm {
    ($name:ident) => {
        near(special::$name, |[x, ..]| libm::$name(x), wide::$name)
    };
}

/// Describes a function with bounds for float and double, for half, and for relaxed float.
macro_rules! bounded {
    ($name:ident, $inputs:expr, $reference:expr, [$ulps:literal, $half:literal], $relaxed:expr) => {
        Function {
            float: Ulps($ulps as f64),
            double: Ulps($ulps as f64),
            half: Ulps($half as f64),
            relaxed: $relaxed,
            ..function(
                stringify!($name),
                &call(stringify!($name), $inputs.len()),
                &$inputs,
                &[of(Kind::Real, $reference)],
            )
        }
    };
    ($name:ident, [$ulps:literal, $half:literal], $relaxed:expr) => {
        bounded!($name, [Real], in_libm!($name), [$ulps, $half], $relaxed)
    };
}

/// Bound of relaxed math for functions that are derived from others.
const DERIVED: Bound = Ulps(8192.0);

/// Absolute error of 2^-11 for arguments within pi, or within 1 for the functions of multiples of pi.
const WAVE: Bound = Absolute(0.00048828125, std::f32::consts::PI as f64);
const WAVE_OF_PI: Bound = Absolute(0.00048828125, 1.0);

fn quotient(name: &'static str, body: &str, inputs: &[Input]) -> Function {
    let one = inputs.len() == 1;
    let (reference, correct): (_, fn(Type, [f64; 3]) -> f64) = if one {
        (near(special::recip, |[x, ..]| 1.0 / x, wide::recip), exact::recip)
    } else {
        (near(special::divide, |[x, y, _]| x / y, wide::divide), exact::divide)
    };
    Function {
        float: Ulps(2.5),
        double: Correct,
        half: Ulps(1.0),
        relaxed: UlpsBetween(2.5, if one { 126 } else { 62 }),
        ..function(name, body, inputs, &[Output { kind: Kind::Real, reference, correct: Some(correct) }])
    }
}

fn square_root(name: &'static str) -> Function {
    let reference = near(special::sqrt, |[x, ..]| x.sqrt(), wide::square_root);
    Function {
        float: Ulps(3.0),
        double: Correct,
        half: Ulps(1.5),
        relaxed: Ulps(3.0),
        ..function(
            name,
            &call(name, 1),
            &[Real],
            &[Output { kind: Kind::Real, reference, correct: Some(exact::sqrt) }],
        )
    }
}

fn trigonometry() -> Vec<Function> {
    let sin = in_libm!(sin);
    let cos = in_libm!(cos);
    let sincos = Function {
        float: Ulps(4.0),
        double: Ulps(4.0),
        half: Ulps(2.0),
        relaxed: WAVE,
        ..function("sincos", "r = sincos(x, &s);", &[Real], &[of(Kind::Real, sin), of(Kind::Real, cos)])
    };
    vec![
        bounded!(acos, [4, 2], Ulps(4096.0)),
        bounded!(acosh, [4, 2], DERIVED),
        bounded!(
            acospi,
            [Real],
            near(special::acospi, |[x, ..]| libm::acos(x) / std::f64::consts::PI, wide::acospi),
            [5, 2],
            DERIVED
        ),
        bounded!(asin, [4, 2], Ulps(4096.0)),
        bounded!(asinh, [4, 2], DERIVED),
        bounded!(
            asinpi,
            [Real],
            near(special::asinpi, |[x, ..]| libm::asin(x) / std::f64::consts::PI, wide::asinpi),
            [5, 2],
            DERIVED
        ),
        bounded!(atan, [5, 2], Ulps(4096.0)),
        bounded!(
            atan2,
            [Real, Real],
            near(special::atan2, |[y, x, _]| libm::atan2(y, x), wide::atan2),
            [6, 2],
            DERIVED
        ),
        bounded!(atanh, [5, 2], DERIVED),
        bounded!(
            atanpi,
            [Real],
            near(special::atanpi, |[x, ..]| libm::atan(x) / std::f64::consts::PI, wide::atanpi),
            [5, 2],
            DERIVED
        ),
        bounded!(
            atan2pi,
            [Real, Real],
            near(special::atan2pi, |[y, x, _]| libm::atan2(y, x) / std::f64::consts::PI, wide::atan2pi),
            [6, 2],
            DERIVED
        ),
        bounded!(cos, [4, 2], WAVE),
        bounded!(cosh, [4, 2], UlpsWithin(8192.0, 88.0)),
        bounded!(cospi, [Real], near(special::cospi, single::cospi, wide::cospi), [4, 2], WAVE_OF_PI),
        bounded!(sin, [4, 2], WAVE),
        sincos,
        bounded!(sinh, [4, 2], UlpsWithin(8192.0, 88.0)),
        bounded!(sinpi, [Real], near(special::sinpi, single::sinpi, wide::sinpi), [4, 2], WAVE_OF_PI),
        bounded!(tan, [5, 2.5], DERIVED),
        bounded!(tanh, [5, 2], UlpsWithin(8192.0, 88.0)),
        bounded!(
            tanpi,
            [Real],
            near(special::tanpi, single::tanpi, wide::tanpi),
            [6, 2],
            UlpsWithin(8192.0, 1.0)
        ),
    ]
}

fn powers() -> Vec<Function> {
    let pow = near(special::pow, |[x, y, _]| libm::pow(x, y), wide::pow);
    let powr = near(special::powr, |[x, y, _]| libm::pow(x, y), wide::pow);
    let rootn = near(special::rootn, single::rootn, wide::rootn);
    let hypot = near(special::hypot, |[x, y, _]| libm::hypot(x, y), wide::hypot);
    let rsqrt = near(special::rsqrt, |[x, ..]| 1.0 / x.sqrt(), wide::rsqrt);
    let tgamma = near(special::tgamma, |[x, ..]| libm::tgamma(x), wide::tgamma);
    let lgamma = near(special::lgamma, single::lgamma, wide::lgamma);
    let lgamma_r = function(
        "lgamma_r",
        "r = lgamma_r(x, &s);",
        &[Real],
        &[of(Kind::Real, lgamma), of(Kind::Int, Reference::Exact(exact::gamma_sign))],
    );
    let any = |f: Function| Function { float: Any, double: Any, half: Any, relaxed: Any, ..f };
    // Relaxed math leaves other arguments undefined.
    let defined: Domain = |[x, y, _]| x > 0.0 || (x < 0.0 && y == y.trunc() && y.abs() <= power(24));
    let positive: Domain = |[x, ..]| x > 0.0;
    let relaxed = |f: Function, domain| Function { domain: Some(domain), ..f };
    vec![
        bounded!(cbrt, [2, 2], DERIVED),
        bounded!(erf, [16, 4], Ulps(16.0)),
        bounded!(erfc, [16, 4], Ulps(16.0)),
        bounded!(exp, [3, 2], Growing),
        bounded!(exp2, [3, 2], Growing),
        bounded!(exp10, [3, 2], DERIVED),
        bounded!(expm1, [3, 2], DERIVED),
        bounded!(hypot, [Real, Real], hypot, [4, 2], Ulps(4.0)),
        any(bounded!(lgamma, [Real], lgamma, [0, 0], Any)),
        any(lgamma_r),
        bounded!(log, [3, 2], Logarithm),
        bounded!(log10, [3, 2], Logarithm),
        bounded!(log1p, [2, 2], DERIVED),
        bounded!(log2, [3, 2], Logarithm),
        relaxed(bounded!(pow, [Real, Real], pow, [16, 4], DERIVED), defined),
        relaxed(bounded!(pown, [Real, Int], pow, [16, 4], DERIVED), defined),
        relaxed(bounded!(powr, [Real, Real], powr, [16, 4], DERIVED), positive),
        relaxed(bounded!(rootn, [Real, Int], rootn, [16, 4], DERIVED), positive),
        bounded!(rsqrt, [Real], rsqrt, [2, 1], Ulps(2.0)),
        square_root("sqrt"),
        bounded!(tgamma, [Real], tgamma, [16, 4], Ulps(16.0)),
    ]
}

fn parts() -> Vec<Function> {
    let real = |f| of(Kind::Real, Reference::Exact(f));
    let int = |f| of(Kind::Int, Reference::Exact(f));
    let mad = Function {
        double: Any,
        half: Any,
        ..function(
            "mad",
            &call("mad", 3),
            &[Real, Real, Real],
            &[of(Kind::Real, Reference::Either(exact::fma, exact::multiply_add))],
        )
    };
    vec![
        exact!(ceil, [Real]),
        exact!(copysign, [Real, Real]),
        exact!(fabs, [Real]),
        exact!(fdim, [Real, Real]),
        exact!(floor, [Real]),
        exact!(fma, [Real, Real, Real]),
        exact!(fmax or fmax_other, [Real, Real]),
        exact!(fmin or fmin_other, [Real, Real]),
        exact!(fmod, [Real, Real]),
        function("fract", "r = fract(x, &s);", &[Real], &[real(exact::fract), real(exact::floor)]),
        function("frexp", "r = frexp(x, &s);", &[Real], &[real(exact::frexp), int(exact::frexp_exponent)]),
        function(
            "ilogb",
            &call("ilogb", 1),
            &[Real],
            &[of(Kind::Int, Reference::Either(exact::ilogb, exact::ilogb_other))],
        ),
        exact!(ldexp, [Real, Int]),
        exact!(logb, [Real]),
        mad,
        exact!(maxmag or maxmag_other, [Real, Real]),
        exact!(minmag or minmag_other, [Real, Real]),
        function("modf", "r = modf(x, &s);", &[Real], &[real(exact::modf), real(exact::trunc)]),
        exact!(nan, [Code]),
        exact!(nextafter, [Real, Real]),
        exact!(remainder, [Real, Real]),
        function(
            "remquo",
            "r = remquo(x, y, &s);",
            &[Real, Real],
            &[real(exact::remainder), of(Kind::Quotient, Reference::Exact(exact::quotient))],
        ),
        exact!(rint, [Real]),
        exact!(round, [Real]),
        exact!(trunc, [Real]),
        quotient("divide", "r = x / y;", &[Real, Real]),
        quotient("recip", "r = 1 / x;", &[Real]),
        Function {
            float: Missing,
            half: Missing,
            ..function(
                "convert_float",
                "r = TO_FLOAT(x);",
                &[Real],
                &[of(Kind::Other(Type::Float), Reference::Exact(exact::to_float))],
            )
        },
        Function {
            double: Missing,
            half: Missing,
            ..function(
                "convert_double",
                "r = TO_DOUBLE(x);",
                &[Real],
                &[of(Kind::Other(Type::Double), Reference::Exact(exact::same))],
            )
        },
    ]
}

/// Returns the common functions of s6.13.4. The results of formulas (mix, smoothstep) have absolute bounds.
fn common() -> Vec<Function> {
    let three = [Real, Real, Real];
    let finite: Domain = |x| x.iter().all(|x| x.is_finite());
    let ordered: Domain = |[x, low, high]| low <= high && !x.is_nan();
    let unit: Domain = |[x, y, a]| x.abs() <= 100.0 && y.abs() <= 100.0 && (0.0..=1.0).contains(&a);
    let edges: Domain =
        |[low, high, x]| low < high && (high - low) > 1e-3 && x.abs() < 1e4 && high.abs() < 1e4;
    let within = |f: Function, domain| Function { domain: Some(domain), ..f };
    let absolute =
        |f: Function, bound| Function { float: bound, double: Any, half: Any, relaxed: bound, ..f };
    let scaled = |single, wide| near(special::scaled, single, wide);
    vec![
        within(exact!(clamp, three), ordered),
        bounded!(degrees, [Real], scaled(|[x, ..]| x.to_degrees(), wide::degrees), [2, 2], Ulps(2.0)),
        within(exact!(max, [Real, Real]), finite),
        within(exact!(min, [Real, Real]), finite),
        within(absolute(exact!(mix, three), Absolute(1e-3, f64::INFINITY)), unit),
        bounded!(radians, [Real], scaled(|[x, ..]| x.to_radians(), wide::radians), [2, 2], Ulps(2.0)),
        exact!(sign, [Real]),
        within(absolute(exact!(smoothstep, three), Absolute(1e-5, f64::INFINITY)), edges),
        within(exact!(step, [Real, Real]), finite),
    ]
}

/// Returns the half_ and native_ variants of the float functions.
fn variants(plain: Vec<Function>) -> Vec<Function> {
    const HALF: [&str; 14] = [
        "half_cos",
        "half_divide",
        "half_exp",
        "half_exp2",
        "half_exp10",
        "half_log",
        "half_log2",
        "half_log10",
        "half_powr",
        "half_recip",
        "half_rsqrt",
        "half_sin",
        "half_sqrt",
        "half_tan",
    ];
    const NATIVE: [&str; 14] = [
        "native_cos",
        "native_divide",
        "native_exp",
        "native_exp2",
        "native_exp10",
        "native_log",
        "native_log2",
        "native_log10",
        "native_powr",
        "native_recip",
        "native_rsqrt",
        "native_sin",
        "native_sqrt",
        "native_tan",
    ];
    let mut made = Vec::new();
    for name in HALF.into_iter().chain(NATIVE) {
        let (family, base) = name.split_once('_').expect("a prefix");
        let base = plain.iter().find(|f| f.name == base).expect("a function of this name");
        let float = match (family, base.name) {
            ("native", _) => Any,
            // The bound holds from -2^16 to 2^16.
            (_, "sin" | "cos" | "tan") => UlpsWithin(8192.0, 65536.0),
            _ => Ulps(8192.0),
        };
        made.push(Function {
            float,
            double: Missing,
            half: Missing,
            relaxed: float,
            flushes: true,
            domain: None,
            ..function(name, &call(name, base.inputs.len()), &base.inputs, &base.outputs)
        });
    }
    made
}

/// Returns all functions.
pub fn all() -> Vec<Function> {
    let mut all = trigonometry();
    all.extend(powers());
    all.extend(parts());
    all.sort_by_key(|f| f.name);
    all.extend(common());
    let mut plain = trigonometry();
    plain.extend(powers());
    plain.extend(parts());
    all.extend(variants(plain));
    all
}
