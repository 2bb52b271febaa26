//! Benchmarks, run on every device the loader finds, side by side in one run.
//!
//! Usage: `bench [NAME...]`; all of them by default. Nothing is asserted: read the table.
//! Name the peers to compare with by OCL_ICD_VENDORS.

use std::io::Write;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use cl_sys as cl;
use grus_bench::client::{Arg, Device, Result, Session};
use grus_bench::table::Table;

/// Benchmark: name, unit, and function that measures a device.
struct Bench {
    name: &'static str,
    unit: &'static str,
    run: fn(Device) -> Result<f64>,
}

const ALL: &[Bench] = &[
    Bench { name: "first-result", unit: "ms", run: first_result },
    Bench { name: "enqueue-finish", unit: "µs", run: enqueue_finish },
    Bench { name: "enqueue-batch", unit: "µs each", run: enqueue_batch },
    Bench { name: "copy-64M", unit: "GB/s", run: copy },
    Bench { name: "memcpy-64M", unit: "GB/s", run: host_copy },
    Bench { name: "write-64M", unit: "GB/s", run: |device| transfer(device, true) },
    Bench { name: "read-64M", unit: "GB/s", run: |device| transfer(device, false) },
    Bench { name: "memcpy-1-thread", unit: "GB/s", run: |_| memcpy() },
    Bench { name: "map-unmap-64M", unit: "µs", run: map_unmap },
    Bench { name: "mandelbrot", unit: "ms", run: mandelbrot },
    Bench { name: "nbody", unit: "ms", run: nbody },
    Bench { name: "print-60M", unit: "MB/s", run: print },
    Bench { name: "cycles", unit: "KiB grown", run: cycles },
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let table = Table::begin("bench", &format!("{:<16}{:>10}", "", "unit"));
    for bench in ALL.iter().filter(|b| wanted.is_empty() || wanted.iter().any(|w| w == b.name)) {
        let label = format!("{:<16}{:>10}", bench.name, bench.unit);
        table.row(bench.name, &label, |device| Ok(format!("{:.3}", (bench.run)(device)?)));
    }
}

/// Returns the median of some times.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns the source of a kernel of about 20 lines; the number makes each build new to any cache.
fn source(number: usize) -> String {
    format!(
        "// {number}
float wave(float x, int n) {{
    float s = 0.0f;
    for (int i = 1; i <= n; ++i) {{
        float t = x * i;
        s += t - floor(t);
    }}
    return s + {number}.0f;
}}
kernel void work(global const float *in, global float *out, int n, local float *tile) {{
    int i = get_global_id(0);
    int l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float left = l > 0 ? tile[l - 1] : 0.0f;
    float here = tile[l];
    float4 v = (float4)(left, here, left * here, 1.0f);
    v = v * 0.5f + v.wzyx;
    if (i < n)
        out[i] = wave(v.x + v.y, 4) + fabs(v.z) - v.w;
}}
"
    )
}

/// Measures the time from source to first result: create, build, kernel, one launch of 64 work-items, read. Returns
/// the median of new programs, after one for warming up.
fn first_result(device: Device) -> Result<f64> {
    let session = Session::new(device)?;
    let (input, output) = (session.buffer(256)?, session.buffer(256)?);
    session.write(&input, &[1.5f32; 64])?;
    let mut times = Vec::new();
    for i in 0..12 {
        let text = source(i + std::process::id() as usize * 100);
        let start = Instant::now();
        let program = session.build(&text, "")?;
        let kernel = program.kernel("work")?;
        kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&output), Arg::Int(64), Arg::Local(256)])?;
        session.enqueue(&kernel, &[64], Some(&[64]))?;
        let mut result = [0f32; 64];
        session.read(&output, &mut result)?;
        if i > 0 {
            times.push(start.elapsed());
        }
    }
    Ok(median(times).as_secs_f64() * 1e3)
}

/// Redirection of this process's standard output to /dev/null, undone when the value is dropped.
struct Silence(libc::c_int);

impl Silence {
    fn begin() -> Result<Silence> {
        let nowhere = std::fs::File::options().write(true).open("/dev/null").map_err(|e| e.to_string())?;
        std::io::stdout().flush().map_err(|e| e.to_string())?;
        // SAFETY: file descriptor 1 belongs to this process.
        let kept = unsafe { libc::dup(1) };
        // SAFETY: both file descriptors are open and belong to this process.
        if kept < 0 || unsafe { libc::dup2(nowhere.as_raw_fd(), 1) } < 0 {
            return Err("standard output cannot be turned away".into());
        }
        Ok(Silence(kept))
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        // SAFETY: flushes all C streams, so that buffered text does not appear later; the duplicate descriptor is
        // owned by `self`.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::dup2(self.0, 1);
            libc::close(self.0);
        }
    }
}

/// Prints a million lines of 60 bytes by printf, in launches that fit the peers' buffers.
fn print(device: Device) -> Result<f64> {
    const LINES: usize = 1_000_000;
    const LAUNCH: usize = 10_000;
    let session = Session::new(device)?;
    let text = "kernel void lines(int n) {
        printf(\"item %08d of %08d: %08x, %08u and so on to the end\\n\", (int)get_global_id(0), n, n * 7, n + 3);
    }";
    let program = session.build(text, "")?;
    let kernel = program.kernel("lines")?;
    kernel.set(&[Arg::Int(LINES as i32)])?;
    let silence = Silence::begin()?;
    let start = Instant::now();
    for _ in 0..LINES / LAUNCH {
        session.enqueue(&kernel, &[LAUNCH], None)?;
        session.finish()?;
    }
    let seconds = start.elapsed().as_secs_f64();
    drop(silence);
    Ok(60e-6 * LINES as f64 / seconds)
}

const TINY: &str = "kernel void add(global int *p) { p[get_global_id(0)] += 1; }";

/// Measures one launch of 64 work-items and clFinish.
fn enqueue_finish(device: Device) -> Result<f64> {
    let session = Session::new(device)?;
    let program = session.build(TINY, "")?;
    let kernel = program.kernel("add")?;
    let buffer = session.buffer(256)?;
    session.write(&buffer, &[0i32; 64])?;
    kernel.set(&[Arg::Buffer(&buffer)])?;
    let mut times = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..1000 {
            session.enqueue(&kernel, &[64], Some(&[64]))?;
            session.finish()?;
        }
        times.push(start.elapsed() / 1000);
    }
    Ok(median(times).as_secs_f64() * 1e6)
}

/// Measures a thousand launches and one clFinish. Returns the time per launch.
fn enqueue_batch(device: Device) -> Result<f64> {
    let session = Session::new(device)?;
    let program = session.build(TINY, "")?;
    let kernel = program.kernel("add")?;
    let buffer = session.buffer(256)?;
    session.write(&buffer, &[0i32; 64])?;
    kernel.set(&[Arg::Buffer(&buffer)])?;
    let mut times = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..1000 {
            session.enqueue(&kernel, &[64], Some(&[64]))?;
        }
        session.finish()?;
        times.push(start.elapsed() / 1000);
    }
    Ok(median(times).as_secs_f64() * 1e6)
}

const BYTES: usize = 64 << 20;

/// Measures a kernel that copies 64 MB. Returns the bytes read and written per second.
fn copy(device: Device) -> Result<f64> {
    let session = Session::new(device)?;
    let program = session.build("kernel void copy(global const float4 *a, global float4 *b) { size_t i = get_global_id(0); b[i] = a[i]; }", "")?;
    let kernel = program.kernel("copy")?;
    let (from, to) = (session.buffer(BYTES)?, session.buffer(BYTES)?);
    session.write(&from, &vec![1u8; BYTES])?;
    session.write(&to, &vec![2u8; BYTES])?;
    kernel.set(&[Arg::Buffer(&from), Arg::Buffer(&to)])?;
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        session.enqueue(&kernel, &[BYTES / 16], None)?;
        session.finish()?;
        times.push(start.elapsed());
    }
    Ok(2.0 * BYTES as f64 / median(times).as_secs_f64() / 1e9)
}

/// Measures memcpy of 64 MB on as many threads as the device has compute units.
fn host_copy(device: Device) -> Result<f64> {
    let threads = device.units().max(1) as usize;
    let (from, mut to) = (vec![1u8; BYTES], vec![2u8; BYTES]);
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        let part = BYTES.div_ceil(threads);
        std::thread::scope(|scope| {
            for (to, from) in to.chunks_mut(part).zip(from.chunks(part)) {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        times.push(start.elapsed());
    }
    Ok(2.0 * BYTES as f64 / median(times).as_secs_f64() / 1e9)
}

/// Measures a blocking write or read of 64 MB. Returns the bytes read and written per second.
fn transfer(device: Device, write: bool) -> Result<f64> {
    let session = Session::new(device)?;
    let buffer = session.buffer(BYTES)?;
    let mut host = vec![1u8; BYTES];
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        if write {
            session.write(&buffer, &host)?;
        } else {
            session.read(&buffer, &mut host)?;
        }
        times.push(start.elapsed());
    }
    Ok(2.0 * BYTES as f64 / median(times).as_secs_f64() / 1e9)
}

/// Measures memcpy of 64 MB on the calling thread, for comparison with transfers.
fn memcpy() -> Result<f64> {
    let (from, mut to) = (vec![1u8; BYTES], vec![2u8; BYTES]);
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        std::hint::black_box(&mut to).copy_from_slice(std::hint::black_box(&from));
        times.push(start.elapsed());
    }
    Ok(2.0 * BYTES as f64 / median(times).as_secs_f64() / 1e9)
}

/// Measures a blocking map of 64 MB for reading and writing, and its unmap.
fn map_unmap(device: Device) -> Result<f64> {
    let session = Session::new(device)?;
    let buffer = session.buffer(BYTES)?;
    session.write(&buffer, &vec![1u8; BYTES])?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        session.map_and_unmap(&buffer, BYTES)?;
        session.finish()?;
        times.push(start.elapsed());
    }
    Ok(median(times).as_secs_f64() * 1e6)
}

/// Measures the demo's fractal, 1280 × 800.
fn mandelbrot(device: Device) -> Result<f64> {
    let session = Session::new(device)?;
    let program = session.build(include_str!("../../kernels/fractal.cl"), "")?;
    let kernel = program.kernel("fractal")?;
    let picture = session.buffer(1280 * 800 * 4)?;
    let (x0, y0, scale) = (Arg::Float(-2.25), Arg::Float(-1.15), Arg::Float(0.00288));
    kernel.set(&[
        Arg::Buffer(&picture),
        Arg::Int(1280),
        Arg::Int(800),
        x0,
        y0,
        scale,
        Arg::Int(400),
        Arg::Local(1024),
    ])?;
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        session.enqueue(&kernel, &[1280, 800], Some(&[16, 16]))?;
        session.finish()?;
        times.push(start.elapsed());
    }
    Ok(median(times).as_secs_f64() * 1e3)
}

/// Measures one step of 4096 bodies.
fn nbody(device: Device) -> Result<f64> {
    let session = Session::new(device)?;
    let program = session.build(include_str!("../../kernels/nbody.cl"), "")?;
    let kernel = program.kernel("step")?;
    let buffers = [session.buffer(4096 * 16)?, session.buffer(4096 * 16)?, session.buffer(4096 * 16)?];
    let bodies: Vec<[f32; 4]> = (0..4096).map(|i| [(i % 64) as f32, (i / 64) as f32, 0.0, 1.0]).collect();
    session.write(&buffers[0], &bodies)?;
    session.write(&buffers[2], &vec![[0f32; 4]; 4096])?;
    let [from, to, velocity] = &buffers;
    kernel.set(&[
        Arg::Buffer(from),
        Arg::Buffer(to),
        Arg::Buffer(velocity),
        Arg::Int(4096),
        Arg::Float(0.01),
        Arg::Local(1024),
    ])?;
    let mut times = Vec::new();
    for _ in 0..9 {
        let start = Instant::now();
        session.enqueue(&kernel, &[4096], Some(&[64]))?;
        session.finish()?;
        times.push(start.elapsed());
    }
    Ok(median(times).as_secs_f64() * 1e3)
}

/// Measures the growth of resident memory over 10,000 cycles of create, build, run, release (on devices that build
/// in under 20 ms; 200 cycles on others), after a tenth of that for warming up.
fn cycles(device: Device) -> Result<f64> {
    let name = device.text(cl::CL_DEVICE_NAME);
    let one = |i: usize| -> Result<()> {
        let session = Session::new(device)?;
        let program = session.build(source(i % 64), "")?;
        let kernel = program.kernel("work")?;
        let (input, output) = (session.buffer(256)?, session.buffer(256)?);
        session.write(&input, &[1f32; 64])?;
        kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&output), Arg::Int(64), Arg::Local(256)])?;
        session.enqueue(&kernel, &[64], Some(&[64]))?;
        session.read(&output, &mut [0f32; 64])
    };
    one(0)?;
    let start = Instant::now();
    one(1)?;
    let count = if start.elapsed() < Duration::from_millis(20) { 10_000 } else { 200 };
    for i in 0..count / 10 {
        one(i)?;
    }
    let before = resident();
    for i in 0..count {
        one(i)?;
    }
    eprintln!("cycles: {count} on {name}");
    Ok(resident() - before)
}

/// Returns the resident memory of this process in KiB.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split_whitespace().nth(1).and_then(|p| p.parse().ok()).unwrap_or(0.0);
    // SAFETY: the query of the page size has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages * page as f64 / 1024.0
}
