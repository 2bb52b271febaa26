//! Tests of the references against values of another library (mpmath 1.3 with 60 digits, as a sum of two doubles),
//! and of each special value of s7.5.

use super::super::functions;
use super::super::number::{Type, power};
use super::Want;

/// Function, arguments, and result as a sum of two doubles.
const VALUES: &[(&str, &[f64], f64, f64)] = &[
    ("erf", &[0.3], 0.3286267594591274, 2.2908254446982777e-17),
    ("erf", &[2.75], 0.9998993780778803, 4.451378916214761e-17),
    ("erfc", &[1.9], 0.0072095707647425325, 2.2766533088168416e-19),
    ("erfc", &[2.1], 0.002979466656332984, 1.7169881380450272e-19),
    ("erfc", &[26.0], 5.663192408856143e-296, -3.454309640217e-312),
    ("erfc", &[-1.25], 1.9229001282564582, 5.584475816387646e-17),
    ("tgamma", &[0.1], 9.51350769866873, 7.024723067503411e-16),
    ("tgamma", &[-2.6], -0.8886857146465097, -1.0791489260619358e-18),
    ("tgamma", &[47.9], 1.7580982168257128e+59, 4.121655735791783e+42),
    ("tgamma", &[171.5], 9.4833675668248e+307, 3.2177969643752153e+291),
    ("lgamma", &[1.001], -0.0005763935982833062, 1.4393080695562806e-20),
    ("lgamma", &[1000000.0], 12815504.569147611, 6.230802661575757e-10),
    ("lgamma", &[-3.3], -0.8243558050174264, -1.3938132648184777e-17),
    ("log1p", &[1e-09], 9.999999995e-10, 7.493897403823754e-26),
    ("expm1", &[-3e-08], -2.999999955e-08, -2.16190528291926e-24),
    ("sin", &[1e+22], -0.8522008497671888, -6.7806825896773284e-18),
    ("tan", &[11.0], -225.95084645419513, -1.2217000310482306e-14),
    ("sinpi", &[1234.7], 0.8090169943748634, 4.3902827036387005e-17),
    ("cospi", &[-0.49], 0.03141075907812832, 2.0404573369017525e-18),
    ("tanpi", &[-3.8], 0.7265425280053618, -4.882399919856435e-17),
    ("acos", &[0.999], 0.044725087168733454, -3.3530251181836818e-18),
    ("asinpi", &[0.7], 0.246816688893365, 1.51914809797977e-18),
    ("atan2pi", &[-2.0, -3.5], -0.8347506594614321, 3.033875435328243e-17),
    ("pow", &[1.7, 88.3], 2.2317202684482585e+20, 13792.762264065666),
    ("pown", &[-1.3, 5.0], -3.7129300000000005, -1.2642775715221437e-16),
    ("rootn", &[-7.5, 3.0], -1.9574338205844317, -8.148505428571477e-17),
    ("hypot", &[1e+300, 3e+299], 1.0440306508910551e+300, -4.679800494589079e+283),
    ("exp10", &[-7.3], 5.011872336272725e-08, -7.043974087407432e-25),
    ("acosh", &[1.5], 0.9624236501192069, -4.651563402692547e-17),
    ("atanh", &[-0.3], -0.3095196042031117, -5.4139184190139844e-18),
    ("log2", &[0.7], -0.5145731728297583, 8.76352077439819e-18),
    ("cbrt", &[20.0], 2.7144176165949068, -1.9653908210581277e-16),
    ("tanh", &[0.01], 0.00999966667999946, 2.249494707259477e-19),
    ("cosh", &[700.0], 5.0711602736750225e+303, 8.333285960367336e+286),
    ("asinh", &[1e-05], 9.999999999833334e-06, 6.1824027295294845e-22),
];

fn want(name: &str, ty: Type, arguments: &[f64]) -> Want {
    let all = functions::all();
    let function = all.iter().find(|function| function.name == name).expect("a function");
    let mut x = [0.0; 3];
    x[..arguments.len()].copy_from_slice(arguments);
    function.outputs[0].reference.want(ty, x, &mut None)
}

#[test]
fn wide_references_have_a_hundred_bits() {
    for &(name, arguments, hi, lo) in VALUES {
        let Want::Near(found) = want(name, Type::Double, arguments) else { panic!("{name} is not near") };
        let part = |x: f64| libm::ldexp(x, found.scale);
        let off = ((part(found.hi) - hi) + (part(found.lo) - lo)) / hi;
        assert!(off.abs() < power(-98), "{name}{arguments:?}: off by {off:e}");
    }
}

#[test]
fn single_references_have_a_doubles_bits() {
    for &(name, arguments, hi, _) in VALUES {
        let Want::Near(found) = want(name, Type::Float, arguments) else { panic!("{name} is not near") };
        let off = (found.nearest() - hi) / hi;
        // The largest errors are those of lgamma close to its zero and of a power with a large exponent.
        assert!(off.abs() < power(-42), "{name}{arguments:?}: off by {off:e}");
    }
}

#[test]
fn the_smallest_numbers_are_what_they_are() {
    for x in [power(-1074), 3.0 * power(-1074), power(-1022) - power(-1074)] {
        assert_eq!(want("sin", Type::Double, &[x]).shown(Type::Double), x);
        assert_eq!(want("sqrt", Type::Double, &[x]).shown(Type::Double), x.sqrt());
    }
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Exactly known results, including the signs of zeros.
const SPECIAL: &[(&str, &[f64], f64)] = &[
    ("acospi", &[1.0], 0.0),
    ("acospi", &[1.5], NAN),
    ("acosh", &[0.5], NAN),
    ("acosh", &[-8388607.5], NAN),
    ("asinpi", &[-0.0], -0.0),
    ("atanh", &[-1.0], -INF),
    ("atan2pi", &[-0.0, -0.0], -1.0),
    ("atan2pi", &[0.0, 5.0], 0.0),
    ("atan2pi", &[-INF, -INF], -0.75),
    ("atan2pi", &[1.0, -INF], 1.0),
    ("atanpi", &[INF], 0.5),
    ("cospi", &[2.5], 0.0),
    ("cospi", &[-0.5], 0.0),
    ("cospi", &[INF], NAN),
    ("exp10", &[-INF], 0.0),
    ("fdim", &[1.0, NAN], NAN),
    ("fract", &[-0.0], -0.0),
    ("fract", &[-INF], -0.0),
    ("frexp", &[-INF], -INF),
    ("fma", &[INF, 0.0, NAN], NAN),
    ("fmod", &[-0.0, 3.0], -0.0),
    ("hypot", &[INF, NAN], INF),
    ("ldexp", &[-0.0, 9.0], -0.0),
    ("log1p", &[-1.0], -INF),
    ("nextafter", &[-0.0, 0.0], 0.0),
    ("pow", &[-0.0, -3.0], -INF),
    ("pow", &[-0.0, -2.0], INF),
    ("pow", &[-1.0, INF], 1.0),
    ("pow", &[1.0, NAN], 1.0),
    ("pow", &[NAN, 0.0], 1.0),
    ("pow", &[-2.0, 0.5], NAN),
    ("pow", &[-INF, 3.0], -INF),
    ("pow", &[-INF, -3.0], -0.0),
    ("pow", &[0.5, -INF], INF),
    ("pown", &[NAN, 0.0], 1.0),
    ("pown", &[-0.0, -1.0], -INF),
    ("powr", &[0.0, 0.0], NAN),
    ("powr", &[INF, 0.0], NAN),
    ("powr", &[1.0, INF], NAN),
    ("powr", &[-1.0, 2.0], NAN),
    ("powr", &[-0.0, 3.0], 0.0),
    ("powr", &[-0.0, -3.0], INF),
    ("powr", &[0.5, INF], 0.0),
    ("powr", &[INF, -1.0], 0.0),
    ("powr", &[1.0, NAN], NAN),
    ("powr", &[NAN, 0.0], NAN),
    ("remquo", &[INF, 1.0], NAN),
    ("rootn", &[-0.0, -3.0], -INF),
    ("rootn", &[-0.0, 3.0], -0.0),
    ("rootn", &[-0.0, 2.0], 0.0),
    ("rootn", &[5.0, 0.0], NAN),
    ("rootn", &[-5.0, 2.0], NAN),
    ("rsqrt", &[-0.0], -INF),
    ("sign", &[NAN], 0.0),
    ("sinpi", &[-3.0], -0.0),
    ("sinpi", &[4.0], 0.0),
    ("tanpi", &[1.0], -0.0),
    ("tanpi", &[-1.0], 0.0),
    ("tanpi", &[-2.0], -0.0),
    ("tanpi", &[0.5], INF),
    ("tanpi", &[1.5], -INF),
    ("tanpi", &[-0.5], -INF),
    ("tgamma", &[-3.0], NAN),
    ("tgamma", &[-0.0], -INF),
    ("tgamma", &[-INF], NAN),
];

#[test]
fn special_values() {
    for &(name, arguments, value) in SPECIAL {
        for ty in Type::ALL {
            let found = want(name, ty, arguments).shown(ty);
            let same = found.to_bits() == value.to_bits() || (found.is_nan() && value.is_nan());
            assert!(same, "{name}{arguments:?} in {}: {found:?}, not {value:?}", ty.name());
        }
    }
}

/// Checks that each function has an exact result or a valid approximation at each special argument.
#[test]
fn every_function_has_a_reference_at_all_edges() {
    for function in functions::all().iter().filter(|function| function.inputs.len() == 1) {
        for ty in [Type::Float, Type::Half] {
            for x in super::super::inputs::edges(ty) {
                for output in &function.outputs {
                    let Want::Near(wide) = output.reference.want(ty, [x, 0.0, 0.0], &mut None) else {
                        continue;
                    };
                    assert!(!wide.hi.is_nan(), "{} of {x:e}", function.name);
                }
            }
        }
    }
}
