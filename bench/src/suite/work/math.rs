//! Arithmetic and math functions, one work-item per element.

use crate::suite::data::Random;
use crate::suite::plan::{DIVIDE, EXP, Expectation, LOG, Limit, POW, Plan, SIN, Size, Value};

pub fn polynomial(size: Size) -> Plan {
    const TERMS: usize = 64;
    let count = size.of(1 << 20, 1000);
    let mut random = Random::new(11);
    let (x, coefficients) = (random.floats(count, -0.9, 0.9), random.floats(TERMS, -1.0, 1.0));
    let sums = x.iter().map(|x| coefficients.iter().fold(0.0, |sum, c| sum * f64::from(*x) + f64::from(*c)));
    let mut plan = Plan::new(include_str!("../../../kernels/suite/polynomial.cl"));
    let args = [
        plan.input(&x),
        plan.output(Expectation::single(sums, 1e-5, 1e-5)),
        plan.input(&coefficients),
        Value::Int(TERMS as i32),
    ];
    plan.launch("polynomial", &args, &[count], &[]);
    plan.limits = vec![Limit::Single((count * TERMS) as f64), Limit::Cache(8.0 * count as f64)];
    plan
}

/// Computes the kernel's loop in its precision.
fn iterations(cx: f32, cy: f32, most: i32) -> i32 {
    let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
    while n < most && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        n += 1;
    }
    n
}

pub fn fractal(size: Size) -> Plan {
    let (width, height) = (size.of(640, 40), size.of(480, 30));
    let (most, step) = (256, 3.2 / width as f32);
    let (left, top) = (-2.25f32, -1.2f32);
    let counts: Vec<i32> = (0..width * height)
        .map(|i| iterations(left + (i % width) as f32 * step, top + (i / width) as f32 * step, most))
        .collect();
    // An iteration has two products, three sums and a fused multiply-add in its dependence chain, and two further
    // products.
    let turns: f64 = counts.iter().map(|n| f64::from(*n)).sum();
    let mut plan = Plan::new(include_str!("../../../kernels/suite/fractal.cl"));
    let args = [
        // Fused multiply-adds change the counts of points near the set.
        plan.output(Expectation::MostlyExact(counts, 0.03)),
        Value::Int(width as i32),
        Value::Float(left),
        Value::Float(top),
        Value::Float(step),
        Value::Int(most),
    ];
    plan.launch("mandelbrot", &args, &[width, height], &[]);
    plan.limits = vec![Limit::Single(7.0 * turns)];
    plan
}

/// Returns the kernel's normal distribution, in double precision.
fn normal(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
    let sum = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_53];
    let tail = 0.398_942_28 * (-0.5 * d * d).exp() * k * sum.iter().fold(0.0, |s, c| s * k + c);
    if d > 0.0 { 1.0 - tail } else { tail }
}

pub fn black_scholes(size: Size) -> Plan {
    let count = size.of(512 << 10, 1000);
    let (rate, volatility) = (0.02, 0.3);
    let mut random = Random::new(12);
    let price = random.floats(count, 5.0, 30.0);
    let strike = random.floats(count, 1.0, 100.0);
    let years = random.floats(count, 0.25, 10.0);
    let (mut calls, mut puts) = (Vec::new(), Vec::new());
    for i in 0..count {
        let (s, x, t) = (f64::from(price[i]), f64::from(strike[i]), f64::from(years[i]));
        let root = volatility * t.sqrt();
        let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / root;
        let d2 = d1 - root;
        let discounted = x * (-rate * t).exp();
        calls.push(s * normal(d1) - discounted * normal(d2));
        puts.push(discounted * (1.0 - normal(d2)) - s * (1.0 - normal(d1)));
    }
    let mut plan = Plan::new(include_str!("../../../kernels/suite/blackscholes.cl"));
    let args = [
        plan.input(&price),
        plan.input(&strike),
        plan.input(&years),
        plan.output(Expectation::single(calls, 1e-4, 1e-3)),
        plan.output(Expectation::single(puts, 1e-4, 1e-3)),
        Value::Float(rate as f32),
        Value::Float(volatility as f32),
    ];
    plan.launch("options", &args, &[count], &[]);
    let each = LOG + 3.0 * EXP + 5.0 * DIVIDE + 40.0;
    plan.limits = vec![Limit::Single(each * count as f64), Limit::Cache(20.0 * count as f64)];
    plan
}

/// Returns the plan of a kernel with two inputs and one output.
fn pairs(kernel: &'static str, x: &[f32], y: &[f32], each: f64, exact: fn(f64, f64) -> f64) -> Plan {
    let values = x.iter().zip(y).map(|(x, y)| exact(f64::from(*x), f64::from(*y)));
    let mut plan = Plan::new(include_str!("../../../kernels/suite/functions.cl"));
    let args = [plan.input(x), plan.input(y), plan.output(Expectation::single(values, 1e-5, 1e-5))];
    plan.launch(kernel, &args, &[x.len()], &[]);
    plan.limits = vec![Limit::Single(each * x.len() as f64), Limit::Cache(12.0 * x.len() as f64)];
    plan
}

pub fn trigonometry(size: Size) -> Plan {
    let count = size.of(512 << 10, 1000);
    let mut random = Random::new(13);
    let (x, y) = (random.floats(count, -3.0, 3.0), random.floats(count, -3.0, 3.0));
    // The kernel calls five functions, two of which divide.
    pairs("trigonometry", &x, &y, 5.0 * SIN + 2.0 * DIVIDE, |a, b| {
        (0.5 * a).sin().powi(2) + a.cos() * b.cos() + b.atan2(a) + (0.25 * b).tan()
    })
}

pub fn powers(size: Size) -> Plan {
    let count = size.of(512 << 10, 1000);
    let mut random = Random::new(14);
    let (x, y) = (random.floats(count, 0.0, 1.0), random.floats(count, 0.1, 4.0));
    pairs("powers", &x, &y, 2.0 * POW + EXP + LOG, |a, b| {
        let encoded = if a <= 0.003_130_8 { 12.92 * a } else { 1.055 * a.powf(1.0 / 2.4) - 0.055 };
        encoded + a.powf(b) + (-b).exp2() * (1.0 + a).log2()
    })
}
