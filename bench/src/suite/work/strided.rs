//! Loops in steps of the whole range, and the kernels that array libraries generate for element-wise operations,
//! reductions and scans.

use crate::suite::data::Random;
use crate::suite::plan::{Expectation, Limit, Plan, Size, Value};

const ARRAYS: &str = include_str!("../../../kernels/suite/arrays.cl");

/// Number of work-items of a work-group in `ARRAYS`, and number of elements per work-item of the scan.
const GROUP: usize = 128;
const EACH: usize = 8;

/// Returns the plan of axpy over the same number of floats by `items` work-items, or by one per element.
fn axpy(size: Size, items: Option<usize>) -> Plan {
    let count = size.of(2 << 20, 3000);
    let mut random = Random::new(61);
    let (x, y) = (random.floats(count, -1.0, 1.0), random.floats(count, -1.0, 1.0));
    let sums = x.iter().zip(&y).map(|(x, y)| 2.0 * f64::from(*x) + f64::from(*y));
    let mut plan = Plan::new(include_str!("../../../kernels/suite/axpy.cl"));
    let args = [
        plan.input(&x),
        plan.input(&y),
        plan.output(Expectation::single(sums, 1e-6, 1e-6)),
        Value::Int(count as i32),
    ];
    plan.launch("axpy", &args, &[items.unwrap_or(count)], &[]);
    plan.limits = vec![Limit::Cache(12.0 * count as f64)];
    plan
}

pub fn axpy_128(size: Size) -> Plan {
    axpy(size, Some(128))
}

pub fn axpy_1k(size: Size) -> Plan {
    axpy(size, Some(1 << 10))
}

pub fn axpy_8k(size: Size) -> Plan {
    axpy(size, Some(8 << 10))
}

pub fn axpy_64k(size: Size) -> Plan {
    axpy(size, Some(64 << 10))
}

pub fn axpy_all(size: Size) -> Plan {
    axpy(size, None)
}

pub fn elements(size: Size) -> Plan {
    let count = size.of(2 << 20, 3000);
    let mut random = Random::new(62);
    let (x, y) = (random.floats(count, -1.0, 1.0), random.floats(count, -1.0, 1.0));
    let sums = x.iter().zip(&y).map(|(x, y)| 0.75 * f64::from(*x) - 1.5 * f64::from(*y));
    let mut plan = Plan::new(ARRAYS);
    let args = [
        plan.input(&x),
        plan.input(&y),
        plan.output(Expectation::single(sums, 1e-6, 1e-6)),
        Value::Float(0.75),
        Value::Float(-1.5),
        Value::Int(count as i32),
    ];
    plan.launch("elements", &args, &[size.of(64, 2) * GROUP], &[GROUP]);
    plan.limits = vec![Limit::Cache(12.0 * count as f64)];
    plan
}

pub fn dot(size: Size) -> Plan {
    let count = size.of(2 << 20, 3000);
    let groups = size.of(1024, 3);
    let turns = count.div_ceil(groups * GROUP);
    let mut random = Random::new(63);
    let (x, y) = (random.floats(count, 0.0, 1.0), random.floats(count, 0.0, 1.0));
    let sum = x.iter().zip(&y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let mut plan = Plan::new(ARRAYS);
    let (x, y, parts) = (plan.input(&x), plan.input(&y), plan.scratch(groups * 4));
    let total = plan.output(Expectation::single([sum], 1e-5, 0.0));
    let args = [x, y, parts, Value::Int(count as i32), Value::Int(turns as i32)];
    plan.launch("dot_parts", &args, &[groups * GROUP], &[GROUP]);
    plan.launch("sum_parts", &[parts, total, Value::Int(groups as i32)], &[GROUP], &[GROUP]);
    plan.limits = vec![Limit::Cache(8.0 * count as f64), Limit::Single(count as f64)];
    plan
}

pub fn prefix(size: Size) -> Plan {
    let count = size.of(2 << 20, 3000);
    let groups = count.div_ceil(GROUP * EACH);
    let mut random = Random::new(64);
    let numbers: Vec<i32> = (0..count).map(|_| random.below(1000) as i32 - 500).collect();
    let mut sum = 0;
    let sums: Vec<i32> = numbers
        .iter()
        .map(|n| {
            sum += n;
            sum
        })
        .collect();
    let mut plan = Plan::new(ARRAYS);
    let (from, to, parts) =
        (plan.input(&numbers), plan.output(Expectation::exact(&sums)), plan.scratch(groups * 4));
    let n = Value::Int(count as i32);
    plan.launch("scan_units", &[from, to, parts, n], &[groups * GROUP], &[GROUP]);
    plan.launch("scan_sums", &[parts, Value::Int(groups as i32)], &[GROUP], &[GROUP]);
    plan.launch("add_sums", &[to, parts, n], &[groups * GROUP], &[GROUP]);
    plan.limits = vec![Limit::Cache(16.0 * count as f64)];
    plan
}
