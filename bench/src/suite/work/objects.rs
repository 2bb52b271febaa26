//! Images, generic pointers, structures, and a build.

use std::fmt::Write;

use crate::suite::data::Random;
use crate::suite::plan::{EXP, Expectation, Limit, Plan, Size, Timed, Value};

pub fn image(size: Size) -> Plan {
    let (width, height) = (size.of(1024, 40), size.of(1024, 30));
    let texels = Random::new(51).bytes(width * height * 4);
    let (sine, cosine) = (0.3f64.sin(), 0.3f64.cos());
    let (middle_x, middle_y) = (width as f64 * 0.5, height as f64 * 0.5);
    let texel = |x: f64, y: f64, channel: usize| {
        let (x, y) = (x.clamp(0.0, width as f64 - 1.0), y.clamp(0.0, height as f64 - 1.0));
        f64::from(texels[(y as usize * width + x as usize) * 4 + channel]) / 255.0
    };
    let mut want = Vec::new();
    for i in 0..width * height {
        let (x, y) = ((i % width) as f64 + 0.5 - middle_x, (i / width) as f64 + 0.5 - middle_y);
        let u = cosine * x - sine * y + middle_x - 0.5;
        let v = sine * x + cosine * y + middle_y - 0.5;
        let (left, top) = (u.floor(), v.floor());
        let (a, b) = (u - left, v - top);
        want.extend((0..4).map(|channel| {
            let row = |y| (1.0 - a) * texel(left, y, channel) + a * texel(left + 1.0, y, channel);
            (1.0 - b) * row(top) + b * row(top + 1.0)
        }));
    }
    let mut plan = Plan::new(include_str!("../../../kernels/suite/image.cl"));
    let args = [
        plan.image(width, height, texels),
        Value::Sampler,
        // The specification allows filter weights of 8 bits.
        plan.output(Expectation::single(want, 0.0, 0.01)),
        Value::Float(sine as f32),
        Value::Float(cosine as f32),
    ];
    plan.launch("turn", &args, &[width, height], &[]);
    // Three interpolations of four channels, coordinates and weights; texels are read, results written.
    let samples = (width * height) as f64;
    plan.limits = vec![Limit::Single((3.0 * 4.0 * 2.0 + 16.0) * samples), Limit::Cache(20.0 * samples)];
    plan
}

pub fn generic(size: Size) -> Plan {
    let (count, group, terms) = (size.of(256 << 10, 512), 64, 8);
    let numbers = Random::new(52).floats(count, 0.0, 1.0);
    let at = |i: usize| f64::from(numbers[i]);
    let want = (0..count).map(|i| {
        let first = i & !7;
        let factor = if numbers[i] > 0.5 { 2.0 } else { 1.0 };
        let chosen = (first..first + terms).fold(0.0, |sum, k| sum * 0.5 + factor * at(k));
        let own = (0..terms).fold(0.0, |sum, k| sum * 0.25 + at(i) + k as f64);
        chosen + own
    });
    let want = Expectation::single(want.collect::<Vec<f64>>(), 1e-5, 0.0);
    let mut plan = Plan::new(include_str!("../../../kernels/suite/generic.cl"));
    plan.options = "-cl-std=CL2.0";
    let args = [plan.input(&numbers), plan.output(want), Value::Local(group * 4), Value::Int(terms as i32)];
    plan.launch("generic_pointers", &args, &[count], &[group]);
    plan.launches[0].times = size.of(2, 1);
    let loads = (2 * 2 * terms * count) as f64;
    plan.limits = vec![Limit::Single(loads), Limit::L1(4.0 * loads)];
    plan
}

/// Number of floats of a particle: three vectors, age and mass, then two integers.
const PARTICLE: usize = 16;

pub fn particles(size: Size) -> Plan {
    let (count, dt) = (size.of(512 << 10, 300), 0.02);
    let mut random = Random::new(53);
    let mut from = random.floats(count * PARTICLE, -1.0, 1.0);
    let mut want = Vec::new();
    for particle in from.chunks_exact_mut(PARTICLE) {
        particle[1] = particle[1].abs() * 0.1 + 0.001;
        particle[5] *= 10.0;
        (particle[12], particle[13]) = (particle[12].abs(), particle[13].abs() + 0.5);
        let p: Vec<f64> = particle.iter().map(|v| f64::from(*v)).collect();
        let mut next = p.clone();
        for axis in 0..4 {
            let weight = if axis == 1 { -9.81 * p[13] } else { 0.0 };
            next[4 + axis] = p[4 + axis] + (weight - 0.1 * p[4 + axis]) * (dt / p[13]);
            next[axis] = p[axis] + next[4 + axis] * dt;
        }
        let bounced = next[1] < 0.0;
        if bounced {
            (next[1], next[5]) = (-next[1], -0.5 * next[5]);
        }
        next[12] = p[12] + dt;
        next[11] = (-next[12]).exp();
        // Integer fields, as floats with the same bits.
        (particle[14], particle[15]) = (f32::from_bits(0x3f80_0000), f32::from_bits(0x4000_0000));
        next[14] = f32::from_bits(0x3f80_0000 + u32::from(bounced)).into();
        next[15] = f32::from_bits(0x4000_0000).into();
        want.extend(next);
    }
    let mut plan = Plan::new(include_str!("../../../kernels/suite/particles.cl"));
    let args =
        [plan.input(&from), plan.output(Expectation::single(want, 1e-5, 1e-5)), Value::Float(dt as f32)];
    plan.launch("move", &args, &[count], &[]);
    plan.limits =
        vec![Limit::Memory((8 * PARTICLE * count) as f64), Limit::Single((EXP + 30.0) * count as f64)];
    plan
}

/// Returns the source of `count` functions in chains of ten, and a kernel that calls the chains.
fn functions(count: usize) -> String {
    let mut text = String::new();
    for i in (0..count).rev() {
        let next = if i % 10 == 9 { "a".into() } else { format!("f{}(a, n + 1)", i + 1) };
        let wave = if i % 5 == 0 { "sin" } else { "fabs" };
        let (shift, turns) = (i % 7, i % 5 + 2);
        let _ = write!(
            text,
            "float4 f{i}(float4 v, int n)
{{
    float4 a = v * 0.5f + {shift}.25f;
    if (n > {i})
        return a;
    for (int k = 0; k < {turns}; ++k) {{
        a.xy = 0.5f * {wave}(a.zw) + (float2)(k, {shift});
        a.w = fmax(0.5f * a.x, a.y);
        a = 0.25f * a.wzyx + 1.0f;
    }}
    return v * 0.125f + {next};
}}

"
        );
    }
    text += "kernel void chains(global float4 *g)\n{\n    float4 v = g[get_global_id(0)];\n";
    for i in (0..count).step_by(10) {
        let _ = writeln!(text, "    v = 0.5f * v + f{i}(v, {i});");
    }
    text += "    g[get_global_id(0)] = v;\n}\n";
    text
}

/// Computes function `i` of that source.
fn function(i: usize, v: [f64; 4], n: usize) -> [f64; 4] {
    let shift = (i % 7) as f64;
    let mut a = v.map(|v| v * 0.5 + shift + 0.25);
    if n > i {
        return a;
    }
    for k in 0..i % 5 + 2 {
        let wave = |v: f64| if i.is_multiple_of(5) { v.sin() } else { v.abs() };
        (a[0], a[1]) = (0.5 * wave(a[2]) + k as f64, 0.5 * wave(a[3]) + shift);
        a[3] = (0.5 * a[0]).max(a[1]);
        a = [a[3], a[2], a[1], a[0]].map(|a| 0.25 * a + 1.0);
    }
    let next = if i % 10 == 9 { a } else { function(i + 1, a, n + 1) };
    std::array::from_fn(|lane| v[lane] * 0.125 + next[lane])
}

pub fn build(size: Size) -> Plan {
    let count = size.of(200, 20);
    let from = Random::new(54).floats(64 * 4, -1.0, 1.0);
    let mut want = Vec::new();
    for v in from.chunks_exact(4) {
        let mut v = [0, 1, 2, 3].map(|lane| f64::from(v[lane]));
        for i in (0..count).step_by(10) {
            let added = function(i, v, i);
            v = std::array::from_fn(|lane| 0.5 * v[lane] + added[lane]);
        }
        want.extend(v);
    }
    let mut plan = Plan::new(functions(count));
    plan.timed = Timed::Build;
    let data = plan.in_out(&from, Expectation::single(want, 1e-4, 1e-4));
    plan.launch("chains", &[data], &[64], &[]);
    plan
}
