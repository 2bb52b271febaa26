//! Images, on every device the loader finds, side by side in one run: samples per nanosecond, output texels per
//! nanosecond, and GB/s of copies and fills.
//!
//! Usage: `images [NAME...]`; all rows that begin with a name, by default all. Nothing is asserted: read the table.

use std::time::Instant;

use cl_sys as cl;
use grus_bench::client::{Arg, Device, Image, Result, Session};
use grus_bench::table::Table;

const SOURCE: &str = include_str!("../../kernels/images.cl");

/// Number of samples that a work-item takes.
const TAPS: usize = 16;
const WIDTH: usize = 2048;
const HEIGHT: usize = 1024;
const PLANE: [usize; 3] = [WIDTH, HEIGHT, 1];
/// Size with 16 MB of float texels: more than the caches of a core.
const CUBE: [usize; 3] = [128, 128, 64];
/// Size with 256 KB of float texels, which fit in a cache: the time is that of the sampler itself.
const SMALL_CUBE: [usize; 3] = [32, 32, 16];

#[derive(Clone, Copy)]
enum Operation {
    /// Samples of an image: its size (2D or 3D), linear or nearest filtering, and the sampler's addressing mode.
    Sample {
        size: [usize; 3],
        linear: bool,
        addressing: u32,
    },
    Blur,
    Resize,
    Copy,
    Fill,
}

fn rows() -> Vec<(String, u32, Operation)> {
    let types = [("float", cl::CL_FLOAT), ("8-bit", cl::CL_UNORM_INT8)];
    let mut rows = Vec::new();
    for (name, ty) in types {
        for (image, size) in [("2D", PLANE), ("3D", CUBE), ("small 3D", SMALL_CUBE)] {
            for (filter, linear) in [("nearest", false), ("linear", true)] {
                for (mode, addressing) in
                    [("edge", cl::CL_ADDRESS_CLAMP_TO_EDGE), ("border", cl::CL_ADDRESS_CLAMP)]
                {
                    let what = Operation::Sample { size, linear, addressing };
                    rows.push((format!("{filter} {image} {name} {mode}"), ty, what));
                }
            }
        }
        rows.push((format!("blur {name}"), ty, Operation::Blur));
        rows.push((format!("resize {name}"), ty, Operation::Resize));
        rows.push((format!("copy {name}"), ty, Operation::Copy));
        rows.push((format!("fill {name}"), ty, Operation::Fill));
    }
    rows
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let table = Table::begin("images", &format!("{:<32}{:>10}", "", "per ns"));
    for (name, ty, what) in rows() {
        if !wanted.is_empty() && !wanted.iter().any(|w| name.starts_with(w.as_str())) {
            continue;
        }
        let unit = match what {
            Operation::Sample { .. } => "samples",
            Operation::Blur | Operation::Resize => "texels",
            Operation::Copy | Operation::Fill => "bytes",
        };
        let label = format!("{name:<32}{unit:>10}");
        table.best(&name, &label, |device| run(device, ty, what));
    }
}

/// Returns the shortest of some runs of `work`, in nanoseconds; the first run is for warming up.
fn shortest(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    work()?;
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64() * 1e9);
    }
    Ok(best)
}

/// Creates an image with a pattern.
fn filled(session: &Session, ty: u32, size: [usize; 3]) -> Result<Image> {
    let image = session.image(ty, size)?;
    let channels = size.iter().product::<usize>() * 4;
    if ty == cl::CL_FLOAT {
        let data: Vec<f32> = (0..channels).map(|i| (i % 251) as f32 / 251.0).collect();
        session.write_image(&image, &data)?;
    } else {
        let data: Vec<u8> = (0..channels).map(|i| (i % 251) as u8).collect();
        session.write_image(&image, &data)?;
    }
    Ok(image)
}

fn run(device: Device, ty: u32, what: Operation) -> Result<f64> {
    let session = Session::new(device)?;
    let program = session.build(SOURCE, "")?;
    let texels = (WIDTH * HEIGHT) as f64;
    let bytes = texels * if ty == cl::CL_FLOAT { 16.0 } else { 4.0 };
    match what {
        Operation::Sample { size, linear, addressing } => {
            let filter = if linear { cl::CL_FILTER_LINEAR } else { cl::CL_FILTER_NEAREST };
            let sampler = session.sampler(false, addressing, filter)?;
            let image = filled(&session, ty, size)?;
            let kernel = program.kernel(if size[2] == 1 { "sample2d" } else { "sample3d" })?;
            let out = session.buffer(WIDTH / TAPS * HEIGHT * 16)?;
            let args = [Arg::Image(&image), Arg::Sampler(&sampler), Arg::Buffer(&out), Arg::Float(0.97)];
            kernel.set(&args)?;
            let time = shortest(|| {
                session.enqueue(&kernel, &[WIDTH / TAPS, HEIGHT], Some(&[64, 1]))?;
                session.finish()
            })?;
            Ok(texels / time)
        }
        Operation::Blur => {
            let (from, between) = (filled(&session, ty, PLANE)?, session.image(ty, PLANE)?);
            let kernel = program.kernel("blur")?;
            let time = shortest(|| {
                kernel.set(&[Arg::Image(&from), Arg::Image(&between), Arg::Int(1), Arg::Int(0)])?;
                session.enqueue(&kernel, &[WIDTH, HEIGHT], Some(&[64, 1]))?;
                kernel.set(&[Arg::Image(&between), Arg::Image(&from), Arg::Int(0), Arg::Int(1)])?;
                session.enqueue(&kernel, &[WIDTH, HEIGHT], Some(&[64, 1]))?;
                session.finish()
            })?;
            Ok(texels / time)
        }
        Operation::Resize => {
            let from = filled(&session, ty, [WIDTH * 3 / 4, HEIGHT * 2 / 3, 1])?;
            let to = session.image(ty, PLANE)?;
            let kernel = program.kernel("resize")?;
            kernel.set(&[Arg::Image(&from), Arg::Image(&to)])?;
            let time = shortest(|| {
                session.enqueue(&kernel, &[WIDTH, HEIGHT], Some(&[64, 1]))?;
                session.finish()
            })?;
            Ok(texels / time)
        }
        Operation::Copy => {
            let (from, to) = (filled(&session, ty, PLANE)?, filled(&session, ty, PLANE)?);
            let time = shortest(|| {
                session.copy_image(&from, &to)?;
                session.finish()
            })?;
            Ok(2.0 * bytes / time)
        }
        Operation::Fill => {
            let image = filled(&session, ty, PLANE)?;
            let time = shortest(|| {
                session.fill_image(&image, [0.1, 0.2, 0.3, 0.4])?;
                session.finish()
            })?;
            Ok(bytes / time)
        }
    }
}
