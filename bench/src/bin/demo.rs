//! Demo: draws a fractal and a swarm of bodies to PNG with kernels that use local memory and barriers, and prints
//! device, build time, run time.
//!
//! Usage: `demo [FOLDER]`; the pictures are written to FOLDER (default: the current one).

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::Instant;

use cl_sys as cl;
use grus_bench::client::{Arg, Device, Result, Session};

const WIDTH: usize = 1280;
const HEIGHT: usize = 800;
const BODIES: usize = 4096;
const STEPS: usize = 40;

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    if let Err(message) = run(Path::new(&folder)) {
        eprintln!("demo: {message}");
        std::process::exit(1);
    }
}

fn run(folder: &Path) -> Result<()> {
    let devices = Device::all()?;
    // Prefers Grus to the first device.
    let is_grus = |d: &&Device| d.platform_name().contains("Grus");
    let device = *devices.iter().find(is_grus).or(devices.first()).ok_or("no OpenCL device")?;
    println!("device    {} ({} compute units)", device.text(cl::CL_DEVICE_NAME), device.units());
    println!("version   {}", device.text(cl::CL_DEVICE_VERSION));
    let session = Session::new(device)?;
    fractal(&session, folder)?;
    nbody(&session, folder)
}

fn fractal(session: &Session, folder: &Path) -> Result<()> {
    let start = Instant::now();
    let program = session.build(include_str!("../../kernels/fractal.cl"), "")?;
    let kernel = program.kernel("fractal")?;
    let built = start.elapsed();
    let picture = session.buffer(WIDTH * HEIGHT * 4)?;
    kernel.set(&[
        Arg::Buffer(&picture),
        Arg::Int(WIDTH as i32),
        Arg::Int(HEIGHT as i32),
        Arg::Float(-2.25),
        Arg::Float(-1.15),
        Arg::Float(0.002_4 * 1.2),
        Arg::Int(400),
        Arg::Local(16 * 16 * 4),
    ])?;
    let start = Instant::now();
    session.enqueue(&kernel, &[WIDTH, HEIGHT], Some(&[16, 16]))?;
    session.finish()?;
    let ran = start.elapsed();
    let mut pixels = vec![0u8; WIDTH * HEIGHT * 4];
    session.read(&picture, &mut pixels)?;
    let path = folder.join("fractal.png");
    write_png(&path, &pixels)?;
    println!("fractal   build {built:.2?}, run {ran:.2?}, {}", path.display());
    Ok(())
}

fn nbody(session: &Session, folder: &Path) -> Result<()> {
    let start = Instant::now();
    let program = session.build(include_str!("../../kernels/nbody.cl"), "")?;
    let (step, draw) = (program.kernel("step")?, program.kernel("draw")?);
    let built = start.elapsed();
    let (mut from, mut to) = (session.buffer(BODIES * 16)?, session.buffer(BODIES * 16)?);
    let velocity = session.buffer(BODIES * 16)?;
    let (positions, velocities) = swarm();
    session.write(&from, &positions)?;
    session.write(&velocity, &velocities)?;
    let counts = session.buffer(WIDTH * HEIGHT * 4)?;
    session.write(&counts, &vec![0u32; WIDTH * HEIGHT])?;
    let start = Instant::now();
    for _ in 0..STEPS {
        let args = [
            Arg::Buffer(&from),
            Arg::Buffer(&to),
            Arg::Buffer(&velocity),
            Arg::Int(BODIES as i32),
            Arg::Float(0.01),
            Arg::Local(64 * 16),
        ];
        step.set(&args)?;
        session.enqueue(&step, &[BODIES], Some(&[64]))?;
        std::mem::swap(&mut from, &mut to);
        draw.set(&[
            Arg::Buffer(&from),
            Arg::Buffer(&counts),
            Arg::Int(WIDTH as i32),
            Arg::Int(HEIGHT as i32),
        ])?;
        session.enqueue(&draw, &[BODIES], None)?;
    }
    session.finish()?;
    let ran = start.elapsed();
    let mut trails = vec![0u32; WIDTH * HEIGHT];
    session.read(&counts, &mut trails)?;
    let path = folder.join("nbody.png");
    write_png(&path, &shade(&trails))?;
    println!("n-body    build {built:.2?}, {STEPS} steps of {BODIES} bodies {ran:.2?}, {}", path.display());
    Ok(())
}

/// Returns two rotating discs that meet: positions with mass, and velocities.
fn swarm() -> (Vec<[f32; 4]>, Vec<[f32; 4]>) {
    let mut positions = Vec::new();
    let mut velocities = Vec::new();
    for i in 0..BODIES {
        let side = if i % 2 == 0 { -1.0f32 } else { 1.0 };
        // The spiral of a sunflower fills a disc evenly.
        let (r, angle) = ((i as f32 / BODIES as f32).sqrt(), i as f32 * 2.399_963);
        let (x, y) = (r * angle.cos(), r * angle.sin());
        positions.push([
            1.1 * side + 0.9 * x,
            0.3 * side + 0.9 * y,
            0.1 * (angle * 0.7).sin(),
            2.0 / BODIES as f32,
        ]);
        let speed = 1.2 * side;
        velocities.push([-speed * y - 0.3 * side, speed * x, 0.0, 0.0]);
    }
    (positions, velocities)
}

/// Returns the colors of trails, by the number of bodies that passed a pixel.
fn shade(counts: &[u32]) -> Vec<u8> {
    let shade = |n: u32| {
        let t = (n as f32).ln_1p() * 0.45;
        let channel = |gain: f32| (255.0 * (t * gain).min(1.0)) as u8;
        [channel(0.9), channel(0.75), channel(1.4), 255]
    };
    counts.iter().flat_map(|&n| shade(n)).collect()
}

fn write_png(path: &Path, pixels: &[u8]) -> Result<()> {
    let file = File::create(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut w| w.write_image_data(pixels));
    written.map_err(|e| format!("{}: {e}", path.display()))
}
