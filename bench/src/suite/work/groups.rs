//! Workloads whose work-items cooperate in work-groups: reductions, scans, histograms, sorting and transforms.

use std::f64::consts::PI;

use crate::suite::data::Random;
use crate::suite::plan::{Expectation, Limit, Plan, Size, Value};

pub fn reduce(size: Size) -> Plan {
    let count = size.of(2 << 20, 3000);
    let numbers = Random::new(31).floats(count, 0.0, 1.0);
    let sum = numbers.iter().map(|n| f64::from(*n)).sum::<f64>();
    let groups = count.div_ceil(256 * 4);
    let mut plan = Plan::new(include_str!("../../../kernels/suite/reduce.cl"));
    let (from, parts) = (plan.input(&numbers), plan.scratch(groups * 4));
    let total = plan.output(Expectation::single([sum], 1e-5, 0.0));
    let args = [from, parts, Value::Int(count as i32), Value::Local(1024)];
    plan.launch("reduce", &args, &[groups * 256], &[256]);
    let args = [parts, total, Value::Int(groups as i32), Value::Local(1024)];
    plan.launch("reduce", &args, &[256], &[256]);
    plan.limits = vec![Limit::Cache(4.0 * count as f64), Limit::Single(count as f64)];
    plan
}

pub fn scan(size: Size) -> Plan {
    let groups = size.of(16_384, 5);
    let count = groups * 256;
    let mut random = Random::new(32);
    let numbers: Vec<i32> = (0..count).map(|_| random.below(1000) as i32 - 500).collect();
    let sums: Vec<i32> = numbers
        .iter()
        .scan(0, |sum, n| {
            *sum += n;
            Some(*sum)
        })
        .collect();
    let mut plan = Plan::new(include_str!("../../../kernels/suite/scan.cl"));
    plan.options = "-cl-std=CL2.0";
    let (from, to, parts) =
        (plan.input(&numbers), plan.output(Expectation::exact(&sums)), plan.scratch(groups * 4));
    plan.launch("scan_groups", &[from, to, parts], &[count], &[256]);
    plan.launch("scan_sums", &[parts, Value::Int(groups as i32)], &[256], &[256]);
    plan.launch("add_sums", &[to, parts], &[count], &[256]);
    plan.limits = vec![Limit::Cache(16.0 * count as f64)];
    plan
}

/// Returns bytes distributed like those of a picture, and the count of each value.
fn pixels(count: usize) -> (Vec<u8>, [u32; 256]) {
    let mut random = Random::new(33);
    let pixels: Vec<u8> = (0..count).map(|_| (random.below(128) + random.below(128)) as u8).collect();
    let mut bins = [0; 256];
    pixels.iter().for_each(|pixel| bins[usize::from(*pixel)] += 1);
    (pixels, bins)
}

const HISTOGRAM: &str = include_str!("../../../kernels/suite/histogram.cl");

pub fn histogram_local(size: Size) -> Plan {
    let count = size.of(4 << 20, 3000);
    let (pixels, bins) = pixels(count);
    let mut plan = Plan::new(HISTOGRAM);
    let from = plan.input(&pixels);
    let to = plan.in_out(&[0u32; 256], Expectation::exact(&bins));
    plan.launch("by_groups", &[from, Value::Int(count as i32), to], &[size.of(64, 3) * 256], &[256]);
    plan.limits = vec![Limit::Count(count as f64)];
    plan
}

pub fn histogram_global(size: Size) -> Plan {
    let count = size.of(1 << 20, 3000);
    let (pixels, bins) = pixels(count);
    let mut plan = Plan::new(HISTOGRAM);
    let from = plan.input(&pixels);
    let to = plan.in_out(&[0u32; 256], Expectation::exact(&bins));
    plan.launch("by_all", &[from, to], &[count], &[]);
    plan.limits = vec![Limit::Atomic(count as f64)];
    plan
}

pub fn bitonic(size: Size) -> Plan {
    let count = size.of(128 << 10, 512);
    let mut random = Random::new(34);
    let numbers: Vec<u32> = (0..count).map(|_| random.bits() as u32).collect();
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let mut plan = Plan::new(include_str!("../../../kernels/suite/bitonic.cl"));
    let data = plan.in_out(&numbers, Expectation::exact(&sorted));
    let mut run = 2;
    while run <= count {
        let mut distance = run / 2;
        while distance > 0 {
            let args = [data, Value::Int(run as i32), Value::Int(distance as i32)];
            plan.launch("exchange", &args, &[count], &[]);
            distance /= 2;
        }
        run *= 2;
    }
    plan.limits = vec![Limit::Cache(8.0 * (count * plan.launches.len()) as f64)];
    plan
}

/// Returns the Fourier transform of points (real, imaginary), in double precision.
fn transform(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let n = points.len();
    if n == 1 {
        return points.to_vec();
    }
    let part = |first: usize| transform(&points.iter().skip(first).step_by(2).copied().collect::<Vec<_>>());
    let (even, odd) = (part(0), part(1));
    let mut out = vec![[0.0; 2]; n];
    for k in 0..n / 2 {
        let (sine, cosine) = (-2.0 * PI * k as f64 / n as f64).sin_cos();
        let turned = [odd[k][0] * cosine - odd[k][1] * sine, odd[k][0] * sine + odd[k][1] * cosine];
        out[k] = [even[k][0] + turned[0], even[k][1] + turned[1]];
        out[k + n / 2] = [even[k][0] - turned[0], even[k][1] - turned[1]];
    }
    out
}

pub fn fft(size: Size) -> Plan {
    const POINTS: usize = 1024;
    let groups = size.of(512, 3);
    let from = Random::new(35).floats(groups * POINTS * 2, -1.0, 1.0);
    let pairs: Vec<[f64; 2]> = from.chunks_exact(2).map(|p| [p[0].into(), p[1].into()]).collect();
    let want: Vec<f64> =
        pairs.chunks_exact(POINTS).flat_map(transform).flat_map(|point| point.into_iter()).collect();
    let root = |i: usize| (-2.0 * PI * i as f64 / POINTS as f64).sin_cos();
    let roots: Vec<f32> =
        (0..POINTS).map(root).flat_map(|(sine, cosine)| [cosine as f32, sine as f32]).collect();
    let mut plan = Plan::new(include_str!("../../../kernels/suite/fft.cl"));
    let args = [plan.input(&from), plan.output(Expectation::single(want, 1e-4, 1e-3)), plan.input(&roots)];
    plan.launch("fft", &args, &[groups * 256], &[256]);
    // Three complex products and sixteen sums per four points, in five passes.
    let quarters = (groups * 256 * 5) as f64;
    plan.limits = vec![Limit::Single((3.0 * 4.0 + 16.0) * quarters), Limit::L1((3.0 + 4.0) * 8.0 * quarters)];
    plan
}

/// Returns the matrix of the cosine transform, one row per frequency.
fn cosines() -> Vec<f64> {
    let entry = |row: usize, column: usize| {
        let scale = if row == 0 { 0.125f64.sqrt() } else { 0.5 };
        scale * (PI * (2 * column + 1) as f64 * row as f64 / 16.0).cos()
    };
    (0..64).map(|i| entry(i / 8, i % 8)).collect()
}

pub fn dct(size: Size) -> Plan {
    let (width, height) = (size.of(1024, 32), size.of(512, 16));
    let mut random = Random::new(36);
    let from: Vec<f32> = (0..width * height).map(|_| random.below(256) as f32).collect();
    let cosines = cosines();
    let mut want = vec![0.0; width * height];
    for corner in (0..height).step_by(8).flat_map(|y| (0..width).step_by(8).map(move |x| y * width + x)) {
        let mut rows = [0.0; 64];
        for (i, sum) in rows.iter_mut().enumerate() {
            let at = |k: usize| f64::from(from[corner + i / 8 * width + k]) - 128.0;
            *sum = (0..8).map(|k| at(k) * cosines[i % 8 * 8 + k]).sum();
        }
        for i in 0..64 {
            want[corner + i / 8 * width + i % 8] =
                (0..8).map(|k| rows[k * 8 + i % 8] * cosines[i / 8 * 8 + k]).sum();
        }
    }
    let narrow: Vec<f32> = cosines.iter().map(|c| *c as f32).collect();
    let mut plan = Plan::new(include_str!("../../../kernels/suite/dct.cl"));
    let args = [
        plan.input(&from),
        plan.output(Expectation::single(want, 1e-4, 1e-2)),
        plan.input(&narrow),
        Value::Int(width as i32),
    ];
    plan.launch("dct", &args, &[width, height], &[8, 8]);
    let terms = (16 * width * height) as f64;
    plan.limits = vec![Limit::Single(terms), Limit::L1(8.0 * terms)];
    plan
}
