//! Tests of the error bounds of the mathematical functions, with a few thousand arguments for each. `--accuracy`
//! tests more.

use crate::accuracy::{Accuracy, Effort, Type, measure};
use crate::check::{Failure, Outcome};
use crate::context::Ctx;
use crate::tests;

tests! {
    "test_bruteforce":
        float_functions, double_functions, half_functions, float_functions_in_relaxed_math,
        float_functions_without_denormals;
}

fn within_bounds(cx: &Ctx, ty: Type, options: &str) -> Outcome {
    let accuracy = Accuracy {
        types: vec![ty],
        effort: Effort::Light,
        options: options.to_owned(),
        ..Accuracy::default()
    };
    let mut bad = Vec::new();
    let measured = measure(cx, &accuracy, |measured| {
        if !measured.passes() {
            bad.push(measured.to_string());
        }
    })?;
    if measured.is_empty() {
        return Err(Failure::Skipped(format!("no {}", ty.name())));
    }
    if bad.is_empty() { Ok(()) } else { Err(Failure::Failed(bad.join("\n"))) }
}

fn float_functions(cx: &Ctx) -> Outcome {
    within_bounds(cx, Type::Float, "")
}

fn double_functions(cx: &Ctx) -> Outcome {
    within_bounds(cx, Type::Double, "")
}

fn half_functions(cx: &Ctx) -> Outcome {
    within_bounds(cx, Type::Half, "")
}

fn float_functions_in_relaxed_math(cx: &Ctx) -> Outcome {
    within_bounds(cx, Type::Float, "-cl-fast-relaxed-math")
}

fn float_functions_without_denormals(cx: &Ctx) -> Outcome {
    within_bounds(cx, Type::Float, "-cl-denorms-are-zero")
}
