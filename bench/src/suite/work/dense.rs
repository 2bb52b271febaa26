//! Linear algebra, filters and n-body workloads.

use crate::suite::data::Random;
use crate::suite::plan::{DIVIDE, Expectation, Limit, Plan, Size, Value};

/// Returns the product of two square matrices.
fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for (row, a) in c.chunks_exact_mut(n).zip(a.chunks_exact(n)) {
        for (factor, b) in a.iter().zip(b.chunks_exact(n)) {
            row.iter_mut().zip(b).for_each(|(sum, b)| *sum += factor * b);
        }
    }
    c
}

/// Returns the plan of a kernel that multiplies matrices of floats.
fn sgemm(source: &'static str, options: &'static str, kernel: &'static str, n: usize, each: usize) -> Plan {
    let mut random = Random::new(21);
    let (a, b) = (random.floats(n * n, -1.0, 1.0), random.floats(n * n, -1.0, 1.0));
    let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
    let want = Expectation::single(product(&wide(&a), &wide(&b), n), 1e-4, 1e-3);
    let mut plan = Plan::new(source);
    plan.options = options;
    let args = [plan.input(&a), plan.input(&b), plan.output(want), Value::Int(n as i32)];
    plan.launch(kernel, &args, &[n / each, n / each], &[16, 16]);
    plan.limits = vec![Limit::Single((n * n * n) as f64), Limit::Cache((12 * n * n) as f64)];
    plan
}

pub fn sgemm_naive(size: Size) -> Plan {
    sgemm(include_str!("../../../kernels/suite/sgemm_naive.cl"), "", "sgemm", size.of(320, 48), 1)
}

const TILED: &str = include_str!("../../../kernels/suite/gemm_tiled.cl");

pub fn sgemm_tiled(size: Size) -> Plan {
    sgemm(TILED, "-D REAL=float", "gemm", size.of(320, 48), 1)
}

pub fn sgemm_blocked(size: Size) -> Plan {
    sgemm(include_str!("../../../kernels/suite/sgemm_blocked.cl"), "", "sgemm", size.of(320, 64), 4)
}

pub fn dgemm_tiled(size: Size) -> Plan {
    let n = size.of(320, 48);
    let mut random = Random::new(22);
    let (a, b) = (random.doubles(n * n, -1.0, 1.0), random.doubles(n * n, -1.0, 1.0));
    let mut plan = Plan::new(TILED);
    plan.options = "-D REAL=double";
    let want = Expectation::double(product(&a, &b, n), 1e-12, 1e-11);
    let args = [plan.input(&a), plan.input(&b), plan.output(want), Value::Int(n as i32)];
    plan.launch("gemm", &args, &[n, n], &[16, 16]);
    plan.limits = vec![Limit::Double((n * n * n) as f64), Limit::Cache((24 * n * n) as f64)];
    plan
}

pub fn nbody(size: Size) -> Plan {
    let (count, dt) = (size.of(2048, 256), 0.01);
    let mut random = Random::new(23);
    let mut bodies = random.floats(count * 4, -1.0, 1.0);
    bodies.iter_mut().skip(3).step_by(4).for_each(|mass| *mass = mass.abs() / count as f32);
    let mut velocity = random.floats(count * 4, -0.1, 0.1);
    velocity.iter_mut().skip(3).step_by(4).for_each(|w| *w = 0.0);
    let at = |body: usize, axis: usize| f64::from(bodies[body * 4 + axis]);
    let mut want = Vec::new();
    for me in 0..count {
        let mut pull = [0.0; 3];
        for other in 0..count {
            let d = [0, 1, 2].map(|axis| at(other, axis) - at(me, axis));
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01;
            let strength = at(other, 3) / (square * square.sqrt());
            (0..3).for_each(|axis| pull[axis] += d[axis] * strength);
        }
        for axis in 0..3 {
            let moved = f64::from(velocity[me * 4 + axis]) + pull[axis] * dt;
            want.push(at(me, axis) + moved * dt);
        }
        want.push(at(me, 3));
    }
    let mut plan = Plan::new(include_str!("../../../kernels/suite/nbody.cl"));
    let args = [
        plan.input(&bodies),
        plan.output(Expectation::single(want, 1e-5, 1e-5)),
        plan.input(&velocity),
        Value::Int(count as i32),
        Value::Float(dt as f32),
        Value::Local(64 * 16),
    ];
    plan.launch("advance", &args, &[count], &[64]);
    plan.limits = vec![Limit::Single((12.0 + DIVIDE) * (count * count) as f64)];
    plan
}

/// Returns atoms near the points of a grid, and for each atom a list of some atoms around it.
fn atoms(side: usize, each: usize) -> (Vec<f64>, Vec<i32>) {
    let count = side * side * side;
    let mut random = Random::new(24);
    let mut positions = Vec::new();
    for i in 0..count {
        let point = [i % side, i / side % side, i / (side * side)];
        positions.extend(point.map(|p| 1.2 * p as f64 + random.double(-0.1, 0.1)));
        positions.push(0.0);
    }
    let mut neighbors = vec![0i32; count * each];
    for i in 0..count {
        let point = [i % side, i / side % side, i / (side * side)];
        // Neighbors are within two grid points on each axis, from a random start; neighbors across the border are
        // too far away to count.
        let first = random.below(125);
        let around = (0..125).map(|n| (n + first) * 49 % 125).filter(|n| *n != 62).take(each);
        for (n, offset) in around.enumerate() {
            let steps = [offset % 5, offset / 5 % 5, offset / 25];
            let there: Vec<usize> =
                (0..3).map(|axis| (point[axis] + steps[axis] + side - 2) % side).collect();
            neighbors[n * count + i] = ((there[2] * side + there[1]) * side + there[0]) as i32;
        }
    }
    (positions, neighbors)
}

pub fn lennard_jones(size: Size) -> Plan {
    let (side, each) = (size.of(28, 6), 64);
    let count = side * side * side;
    let (positions, neighbors) = atoms(side, each);
    let mut want = vec![0.0; count * 4];
    let mut near = 0;
    for i in 0..count {
        for n in 0..each {
            let other = neighbors[n * count + i] as usize;
            let d = [0, 1, 2].map(|axis| positions[i * 4 + axis] - positions[other * 4 + axis]);
            let square: f64 = d.iter().map(|d| d * d).sum();
            if square < 9.0 {
                let inverse6 = square.powi(-3);
                let force = inverse6 / square * (48.0 * inverse6 - 24.0);
                (0..3).for_each(|axis| want[i * 4 + axis] += d[axis] * force);
                near += 1;
            }
        }
    }
    let mut plan = Plan::new(include_str!("../../../kernels/suite/lennardjones.cl"));
    let args = [
        plan.input(&positions),
        plan.input(&neighbors),
        plan.output(Expectation::double(want, 1e-9, 1e-9)),
        Value::Int(each as i32),
        Value::Int(count as i32),
    ];
    plan.launch("forces", &args, &[count], &[]);
    let operations = 6.0 * (count * each) as f64 + (9.0 + DIVIDE) * f64::from(near);
    plan.limits = vec![Limit::Double(operations), Limit::Cache((count * (each * 4 + 64)) as f64)];
    plan
}

pub fn csr(size: Size) -> Plan {
    let rows = size.of(128 << 10, 500);
    let mut random = Random::new(25);
    let (mut starts, mut columns) = (vec![0i32], Vec::new());
    for row in 0..rows {
        // Lengths are from 1 to 40, most of them short.
        let most = 1 + random.below(40);
        for _ in 0..1 + random.below(most) {
            columns.push(((row + random.below(2048) + rows - rows.min(1024)) % rows) as i32);
        }
        starts.push(columns.len() as i32);
    }
    let (values, x) = (random.floats(columns.len(), -1.0, 1.0), random.floats(rows, -1.0, 1.0));
    let sums = starts.windows(2).map(|pair| {
        let entries = pair[0] as usize..pair[1] as usize;
        entries.map(|i| f64::from(values[i]) * f64::from(x[columns[i] as usize])).sum::<f64>()
    });
    let want = Expectation::single(sums.collect::<Vec<f64>>(), 1e-5, 1e-5);
    let mut plan = Plan::new(include_str!("../../../kernels/suite/csr.cl"));
    let args =
        [plan.input(&starts), plan.input(&columns), plan.input(&values), plan.input(&x), plan.output(want)];
    plan.launch("multiply", &args, &[rows], &[]);
    plan.launches[0].times = size.of(4, 1);
    plan.limits = vec![Limit::Cache(4.0 * (12 * columns.len() + 8 * rows) as f64)];
    plan
}

pub fn stencil(size: Size) -> Plan {
    let (width, height) = (size.of(2048, 50), size.of(2048, 30));
    let from = Random::new(26).floats(width * height, 0.0, 1.0);
    let at = |i: usize| f64::from(from[i]);
    let want = (0..width * height).map(|i| {
        let (x, y) = (i % width, i / width);
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
            return at(i);
        }
        let beside = at(i - 1) + at(i + 1) + at(i - width) + at(i + width);
        let corners = at(i - width - 1) + at(i - width + 1) + at(i + width - 1) + at(i + width + 1);
        0.5 * at(i) + 0.1 * beside + 0.025 * corners
    });
    let want = Expectation::single(want.collect::<Vec<f64>>(), 1e-5, 0.0);
    let mut plan = Plan::new(include_str!("../../../kernels/suite/stencil.cl"));
    let args = [plan.input(&from), plan.output(want), Value::Int(width as i32), Value::Int(height as i32)];
    plan.launch("stencil", &args, &[width, height], &[]);
    let cells = (width * height) as f64;
    plan.limits = vec![Limit::Memory(8.0 * cells), Limit::Single(9.0 * cells), Limit::L1(36.0 * cells)];
    plan
}

pub fn convolution(size: Size) -> Plan {
    const SIDE: usize = 7;
    let (width, height) = (size.of(1024, 40), size.of(512, 24));
    let pitch = width + SIDE - 1;
    let mut random = Random::new(27);
    let from = random.floats(pitch * (height + SIDE - 1), 0.0, 1.0);
    let filter = random.floats(SIDE * SIDE, -0.1, 0.1);
    let want = (0..width * height).map(|i| {
        let corner = i / width * pitch + i % width;
        let terms = (0..SIDE * SIDE)
            .map(|k| f64::from(filter[k]) * f64::from(from[corner + k / SIDE * pitch + k % SIDE]));
        terms.sum::<f64>()
    });
    let want = Expectation::single(want.collect::<Vec<f64>>(), 1e-5, 1e-5);
    let mut plan = Plan::new(include_str!("../../../kernels/suite/convolution.cl"));
    let args = [
        plan.input(&from),
        plan.output(want),
        plan.input(&filter),
        Value::Int(SIDE as i32),
        Value::Int(pitch as i32),
    ];
    plan.launch("convolve", &args, &[width, height], &[]);
    let terms = (width * height * SIDE * SIDE) as f64;
    plan.limits = vec![Limit::Single(terms), Limit::L1(4.0 * terms)];
    plan
}
