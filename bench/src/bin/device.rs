//! Device-side enqueue and pipes, on every device the loader finds, side by side in one run. A device without
//! on-device queues, or without pipes, is skipped in those rows.
//!
//! Usage: `device [NAME...]`; all rows that begin with a name, by default all. Results are checked, times are not:
//! read the table.

use std::cell::Cell;
use std::time::Instant;

use cl_sys as cl;
use grus_bench::client::{Arg, Buffer, Device, Kernel, Result, Session};
use grus_bench::table::Table;

const SOURCE: &str = include_str!("../../kernels/device.cl");

/// Number of elements to sort.
const NUMBERS: usize = 1 << 20;
/// Width and height of the picture, and of its initial squares.
const PICTURE: usize = 2048;
const SQUARE: usize = 256;
/// Number of work-items of the picture's work-groups.
const SIDE: usize = 64;
/// Number of packets that pass through a pipe, and number of work-items of a work-group there.
const PACKETS: usize = 1 << 20;
const GROUP: usize = 128;

/// Minimum number of runs, and minimum total time of the runs in nanoseconds.
const MIN_RUNS: usize = 10;
const MIN_TOTAL_TIME: f64 = 0.5e9;

#[derive(Clone, Copy)]
enum Operation {
    /// Size up to which a kernel sorts without enqueuing another kernel.
    Quicksort(usize),
    Picture {
        adaptive: bool,
    },
    Children(usize),
    Chain(usize),
    /// Size of a packet in bytes, and true if work-groups reserve space for all of their packets.
    Pipe(usize, bool),
}

const ROWS: [(&str, &str, Operation); 12] = [
    ("quicksort, 1 M ints, 16384 alone", "ms", Operation::Quicksort(16384)),
    ("quicksort, 1 M ints, 1024 alone", "ms", Operation::Quicksort(1024)),
    ("quicksort, 1 M ints, 64 alone", "ms", Operation::Quicksort(64)),
    ("mandelbrot, every pixel", "ms", Operation::Picture { adaptive: false }),
    ("mandelbrot, adaptive", "ms", Operation::Picture { adaptive: true }),
    ("children, none", "ns a launch", Operation::Children(0)),
    ("children, 10000", "ns a child", Operation::Children(10000)),
    ("chain of 1000", "ns a link", Operation::Chain(1000)),
    ("pipe, 4 bytes", "ns a packet", Operation::Pipe(4, false)),
    ("pipe, 64 bytes", "ns a packet", Operation::Pipe(64, false)),
    ("pipe, 4 bytes, reserved", "ns a packet", Operation::Pipe(4, true)),
    ("pipe, 64 bytes, reserved", "ns a packet", Operation::Pipe(64, true)),
];

impl Operation {
    /// Returns the macro of the source, and the device query, for the required feature.
    fn needs(self) -> (&'static str, cl::cl_device_info) {
        match self {
            Operation::Pipe(..) => ("PIPES", cl::CL_DEVICE_MAX_PIPE_ARGS),
            _ => ("QUEUES", cl::CL_DEVICE_MAX_ON_DEVICE_QUEUES),
        }
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for device in Device::all().unwrap_or_default() {
        for (what, info) in [
            ("queues on the device", cl::CL_DEVICE_MAX_ON_DEVICE_QUEUES),
            ("pipes", cl::CL_DEVICE_MAX_PIPE_ARGS),
        ] {
            if device.number(info) == 0 {
                println!("{} has no {what}", device.platform_name());
            }
        }
    }
    let table = Table::begin("device", &format!("{:<36}{:>12}", "", ""));
    for (name, unit, what) in ROWS {
        if !wanted.is_empty() && !wanted.iter().any(|w| name.starts_with(w.as_str())) {
            continue;
        }
        table.row(name, &format!("{name:<36}{unit:>12}"), |device| {
            if device.number(what.needs().1) == 0 {
                return Ok("-".into());
            }
            Ok(format!("{:.1}", run(device, what)?))
        });
    }
}

/// Returns the shortest of some runs of `work` in nanoseconds, each after `before` and followed by `after`, which
/// are not timed. The first run is for warming up.
fn shortest(
    mut before: impl FnMut() -> Result<()>,
    mut work: impl FnMut() -> Result<()>,
    mut after: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let (mut best, mut rounds, mut spent) = (f64::MAX, 0, 0.0);
    while rounds < MIN_RUNS || spent < MIN_TOTAL_TIME {
        before()?;
        let start = Instant::now();
        work()?;
        let time = start.elapsed().as_secs_f64() * 1e9;
        after()?;
        if rounds > 0 {
            best = best.min(time);
        }
        rounds += 1;
        spent += time;
    }
    Ok(best)
}

fn run(device: Device, what: Operation) -> Result<f64> {
    let session = Session::new(device)?;
    let program = session.build(SOURCE, &format!("-cl-std=CL2.0 -D{}", what.needs().0))?;
    let failures = session.buffer(4)?;
    session.write(&failures, &[0i32])?;
    let kernel = |name: &str| program.kernel(name);
    let time = match what {
        Operation::Quicksort(alone) => quicksort(&session, &kernel("quicksort")?, alone, &failures)?,
        Operation::Picture { adaptive } => {
            let kernels = [&kernel("everywhere")?, &kernel("adaptive")?];
            picture(&session, kernels, adaptive, &failures)?
        }
        Operation::Children(count) => {
            numbered(&session, &kernel("children")?, count, count as i32, &failures)? / count.max(1) as f64
        }
        Operation::Chain(count) => {
            numbered(&session, &kernel("chain")?, count, count as i32 - 1, &failures)? / count as f64
        }
        Operation::Pipe(size, reserved) => {
            let infix = if reserved { "reserved_" } else { "" };
            let kernels =
                [&kernel(&format!("write_{infix}{size}"))?, &kernel(&format!("read_{infix}{size}"))?];
            pipe(&session, kernels, size, &failures)? / PACKETS as f64
        }
    };
    let mut failed = [0i32];
    session.read(&failures, &mut failed)?;
    if failed != [0] {
        return Err(format!("{} calls have failed", failed[0]));
    }
    Ok(time)
}

/// Measures a quicksort. Returns milliseconds.
fn quicksort(session: &Session, kernel: &Kernel, alone: usize, failures: &Buffer) -> Result<f64> {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 32) as i32
    };
    let numbers: Vec<i32> = (0..NUMBERS).map(|_| random()).collect();
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let _queue = session.device_queue()?;
    let data = session.buffer(NUMBERS * 4)?;
    let (to, alone) = (NUMBERS as i32, alone as i32);
    let args = [Arg::Buffer(&data), Arg::Int(0), Arg::Int(to), Arg::Int(alone), Arg::Buffer(failures)];
    kernel.set(&args)?;
    let time = shortest(
        || session.write(&data, &numbers),
        || {
            session.enqueue(kernel, &[1], None)?;
            session.finish()
        },
        || {
            let mut result = vec![0; NUMBERS];
            session.read(&data, &mut result)?;
            if result == sorted { Ok(()) } else { Err("not sorted".to_owned()) }
        },
    )?;
    Ok(time / 1e6)
}

/// Measures a fractal by subdivision or by pixel. Returns milliseconds.
fn picture(
    session: &Session,
    [everywhere, kernel]: [&Kernel; 2],
    adaptive: bool,
    failures: &Buffer,
) -> Result<f64> {
    let _queue = session.device_queue()?;
    let pixels = PICTURE * PICTURE;
    let (image, reference) = (session.buffer(pixels * 4)?, session.buffer(pixels * 4)?);
    everywhere.set(&[Arg::Buffer(&reference), Arg::Int(PICTURE as i32)])?;
    session.enqueue(everywhere, &[PICTURE, PICTURE], Some(&[SIDE, 1]))?;
    let mut wanted = vec![0i32; pixels];
    session.read(&reference, &mut wanted)?;
    let squares = || -> Result<()> {
        // A launch covers two by two of the squares.
        for y in (0..PICTURE).step_by(2 * SQUARE) {
            for x in (0..PICTURE).step_by(2 * SQUARE) {
                let [size, x, y, side] = [PICTURE, x, y, SQUARE].map(|number| Arg::Int(number as i32));
                kernel.set(&[Arg::Buffer(&image), size, x, y, side, Arg::Buffer(failures)])?;
                session.enqueue(kernel, &[4 * SIDE], Some(&[SIDE]))?;
            }
        }
        Ok(())
    };
    let whole = || -> Result<()> {
        everywhere.set(&[Arg::Buffer(&image), Arg::Int(PICTURE as i32)])?;
        session.enqueue(everywhere, &[PICTURE, PICTURE], Some(&[SIDE, 1]))
    };
    let time = shortest(
        || session.write(&image, &vec![-1; pixels]),
        || {
            if adaptive { squares() } else { whole() }?;
            session.finish()
        },
        || {
            let mut result = vec![0; pixels];
            session.read(&image, &mut result)?;
            let other = result.iter().zip(&wanted).filter(|(a, b)| a != b).count();
            // Thin structures may cross a square without touching its border, and kernels may round differently.
            if other <= pixels / 100 { Ok(()) } else { Err(format!("{other} pixels are wrong")) }
        },
    )?;
    Ok(time / 1e6)
}

/// Measures a kernel with two numbers, the second of which its descendants write to `words` words. Returns
/// nanoseconds.
fn numbered(session: &Session, kernel: &Kernel, words: usize, first: i32, failures: &Buffer) -> Result<f64> {
    let _queue = session.device_queue()?;
    let out = session.buffer(words.max(1) * 4)?;
    session.write(&out, &vec![0; words])?;
    let value = Cell::new(0);
    shortest(
        || {
            value.set(value.get() + 1);
            kernel.set(&[Arg::Buffer(&out), Arg::Int(first), Arg::Int(value.get()), Arg::Buffer(failures)])
        },
        || {
            session.enqueue(kernel, &[1], None)?;
            session.finish()
        },
        || {
            let mut result = vec![0; words.max(1)];
            session.read(&out, &mut result)?;
            let missing = result[..words].iter().filter(|&&word| word != value.get()).count();
            if missing == 0 { Ok(()) } else { Err(format!("{missing} words are wrong")) }
        },
    )
}

/// Measures writing and reading packets of a pipe. Returns nanoseconds.
fn pipe(session: &Session, [write, read]: [&Kernel; 2], size: usize, failures: &Buffer) -> Result<f64> {
    let pipe = session.pipe(size, PACKETS)?;
    let out = session.buffer(PACKETS * 4)?;
    write.set(&[Arg::Pipe(&pipe), Arg::Buffer(failures)])?;
    read.set(&[Arg::Pipe(&pipe), Arg::Buffer(&out), Arg::Buffer(failures)])?;
    shortest(
        || session.write(&out, &vec![-1; PACKETS]),
        || {
            session.enqueue(write, &[PACKETS], Some(&[GROUP]))?;
            session.enqueue(read, &[PACKETS], Some(&[GROUP]))?;
            session.finish()
        },
        || {
            let mut result = vec![0i32; PACKETS];
            session.read(&out, &mut result)?;
            result.sort_unstable();
            let right = result.iter().zip(0..).all(|(&number, wanted)| number == wanted);
            if right { Ok(()) } else { Err("packets are missing".to_owned()) }
        },
    )
}
