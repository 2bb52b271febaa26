//! Launches, memory, and loops of all sizes.

use crate::suite::data::Random;
use crate::suite::plan::{Expectation, Limit, Plan, Size, Value};

const LAUNCH: &str = include_str!("../../../kernels/suite/launch.cl");
const STREAM: &str = include_str!("../../../kernels/suite/stream.cl");

fn launches(finish: bool, times: usize) -> Plan {
    let mut plan = Plan::new(LAUNCH);
    let numbers: Vec<i32> = (0..64).collect();
    let after: Vec<i32> = numbers.iter().map(|n| n + times as i32).collect();
    let data = plan.in_out(&numbers, Expectation::exact(&after));
    plan.launch("add", &[data], &[64], &[64]);
    plan.launches[0].times = times;
    plan.launches[0].finish = finish;
    plan
}

pub fn launch_finish(size: Size) -> Plan {
    launches(true, size.of(10_000, 10))
}

pub fn launch_batch(size: Size) -> Plan {
    launches(false, size.of(20_000, 20))
}

fn copy_by(kernel: &'static str, size: Size) -> Plan {
    let count = size.of(16 << 20, 1000);
    let from = Random::new(1).floats(count, -1.0, 1.0);
    let mut plan = Plan::new(STREAM);
    let args = [plan.input(&from), plan.output(Expectation::exact(&from))];
    plan.launch(kernel, &args, &[count], &[]);
    plan.limits = vec![Limit::Memory(8.0 * count as f64)];
    plan
}

pub fn copy(size: Size) -> Plan {
    copy_by("copy", size)
}

pub fn copy_int(size: Size) -> Plan {
    copy_by("copy_int", size)
}

pub fn triad(size: Size) -> Plan {
    let count = size.of(16 << 20, 1000);
    let mut random = Random::new(2);
    let (b, c) = (random.floats(count, -1.0, 1.0), random.floats(count, -1.0, 1.0));
    let mut plan = Plan::new(STREAM);
    let sums = b.iter().zip(&c).map(|(b, c)| f64::from(*b) + 3.0 * f64::from(*c));
    let args = [
        plan.input(&b),
        plan.input(&c),
        plan.output(Expectation::single(sums, 1e-6, 1e-6)),
        Value::Float(3.0),
    ];
    plan.launch("triad", &args, &[count], &[]);
    plan.limits = vec![Limit::Memory(12.0 * count as f64)];
    plan
}

/// Returns the plan of several passes over the same numbers, by `items` work-items.
fn stride(size: Size, items: usize) -> Plan {
    let count = size.of(1 << 20, 3000);
    let x = Random::new(3).floats(count, -1.0, 1.0);
    let mut plan = Plan::new(include_str!("../../../kernels/suite/stride.cl"));
    let squares = x.iter().map(|x| f64::from(*x) * f64::from(*x) + 0.5);
    let args = [
        plan.input(&x),
        plan.output(Expectation::single(squares, 1e-6, 0.0)),
        Value::Int(count as i32),
        Value::Float(0.5),
    ];
    plan.launch("square", &args, &[items], &[]);
    plan.launches[0].times = size.of(8, 1);
    plan.limits = vec![Limit::Cache(8.0 * (8 * count) as f64)];
    plan
}

pub fn stride_64(size: Size) -> Plan {
    stride(size, 64)
}

pub fn stride_4k(size: Size) -> Plan {
    stride(size, 4096)
}

pub fn stride_256k(size: Size) -> Plan {
    stride(size, 256 << 10)
}

pub fn uneven(size: Size) -> Plan {
    let count = size.of(999_983, 997);
    let (width, height) = (size.of(1021, 61), size.of(1019, 37));
    let times = size.of(4, 1);
    let mut random = Random::new(4);
    let (x, y) = (random.floats(count, -1.0, 1.0), random.floats(count, -1.0, 1.0));
    let plane = random.floats(width * height, -1.0, 1.0);
    let lines = x.iter().zip(&y).map(|(x, y)| 0.75 * f64::from(*x) + f64::from(*y));
    let sums = (0..width * height).map(|i| {
        let mirrored = (height - 1 - i / width) * width + i % width;
        0.5 * (f64::from(plane[i]) + f64::from(plane[mirrored]))
    });
    let mut plan = Plan::new(include_str!("../../../kernels/suite/uneven.cl"));
    let args = [
        plan.input(&x),
        plan.input(&y),
        plan.output(Expectation::single(lines, 1e-6, 1e-6)),
        Value::Int(count as i32),
        Value::Float(0.75),
    ];
    plan.launch("line", &args, &[count.next_multiple_of(64)], &[64]);
    let args = [
        plan.input(&plane),
        plan.output(Expectation::single(sums, 1e-6, 1e-6)),
        Value::Int(width as i32),
        Value::Int(height as i32),
    ];
    plan.launch("plane", &args, &[width, height], &[]);
    plan.launches.iter_mut().for_each(|launch| launch.times = times);
    plan.limits = vec![Limit::Cache((times * (12 * count + 12 * width * height)) as f64)];
    plan
}

pub fn async_copies(size: Size) -> Plan {
    let (group, groups) = (256, size.of(2048, 3));
    let count = group * groups * 4;
    let from = Random::new(5).floats(count, -1.0, 1.0);
    let smooth = (0..count).map(|i| {
        let (channel, item, first) = (i % 4, i / 4 % group, i / (4 * group) * group);
        let at = |item: usize| f64::from(from[(first + item) * 4 + channel]);
        0.25 * at(item.saturating_sub(1)) + 0.5 * at(item) + 0.25 * at((item + 1).min(group - 1))
    });
    let mut plan = Plan::new(include_str!("../../../kernels/suite/async.cl"));
    let args = [
        plan.input(&from),
        plan.output(Expectation::single(smooth, 1e-6, 1e-6)),
        Value::Local(group * 4),
        Value::Local(group * 4),
    ];
    plan.launch("smooth", &args, &[group * groups], &[group]);
    plan.limits = vec![Limit::Cache(8.0 * count as f64)];
    plan
}

pub fn transpose(size: Size) -> Plan {
    let (width, height) = (size.of(2048, 48), size.of(2048, 32));
    let from = Random::new(6).floats(width * height, -1.0, 1.0);
    let turned: Vec<f32> = (0..width * height).map(|i| from[i % height * width + i / height]).collect();
    let mut plan = Plan::new(include_str!("../../../kernels/suite/transpose.cl"));
    let args = [
        plan.input(&from),
        plan.output(Expectation::exact(&turned)),
        Value::Int(width as i32),
        Value::Int(height as i32),
    ];
    plan.launch("transpose", &args, &[width, height], &[16, 16]);
    plan.limits = vec![Limit::Memory(8.0 * (width * height) as f64)];
    plan
}
