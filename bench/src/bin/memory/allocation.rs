//! Allocation patterns: a buffer per result, as array libraries create them, and the memory that stays resident.

use std::cell::RefCell;
use std::rc::Rc;

use grus_bench::client::{Arg, Buffer, Kernel, Result, Session};

use super::resident;
use super::sheet::{Sheet, Unit, Work, size_name};

const SOURCE: &str = "
kernel void number(global uint *to, uint first) { size_t i = get_global_id(0); to[i] = first + (uint)i; }
kernel void multiply(global const float *a, global const float *b, global float *to)
{
    size_t i = get_global_id(0);
    to[i] = a[i] * b[i];
}
kernel void add(global const float *a, global const float *b, global float *to)
{
    size_t i = get_global_id(0);
    to[i] = a[i] + b[i];
}
";

const TITLE: &str = "Allocation";
const SIZES: [usize; 6] = [64 << 10, 256 << 10, 1 << 20, 8 << 20, 64 << 20, 256 << 20];
const FLOATS: [usize; 2] = [1 << 20, 16 << 20];

pub fn rows(sheet: &mut Sheet) {
    for size in SIZES {
        let name = format!("allocate, kernel, read, release {}", size_name(size));
        sheet.row(TITLE, &name, Unit::Microseconds, |who| who.on_device(|session| cycle(session, size)));
    }
    for size in SIZES {
        let name = format!("allocate, kernel, release {}", size_name(size));
        sheet
            .row(TITLE, &name, Unit::Microseconds, |who| who.on_device(|session| short_cycle(session, size)));
    }
    for floats in FLOATS {
        let name = format!("expression a * b + d, {} M floats", floats >> 20);
        sheet.row(TITLE, &name, Unit::Milliseconds, |who| {
            who.on_device(|session| expression(session, floats))
        });
    }
    let measured = resident::Measured::default();
    for (at, name) in ["resident above live", "resident above live, 2 s later"].into_iter().enumerate() {
        sheet.numbers(TITLE, name, "MB", |who| measured.of(who).map(|found| found.map(|both| both[at])));
    }
}

/// Enqueues the kernel that numbers the words of a buffer.
fn number(session: &Session, kernel: &Kernel, buffer: &Buffer, first: i32) -> Result<()> {
    kernel.set(&[Arg::Buffer(buffer), Arg::Int(first)])?;
    session.enqueue(kernel, &[buffer.size / 4], None)
}

fn numbers_from(words: &[u32], first: u32) -> Result<()> {
    let good = words.iter().zip(first..).all(|(&word, wanted)| word == wanted);
    if good { Ok(()) } else { Err("the kernel's numbers are wrong".into()) }
}

/// Returns the work that creates a buffer, writes it by a kernel, reads and releases it.
fn cycle(session: &'static Session, size: usize) -> Result<Work> {
    let kernel = session.build(SOURCE, "")?.kernel("number")?;
    let host = Rc::new(RefCell::new((vec![0u32; size / 4], 0)));
    let to = host.clone();
    let once = move || {
        let (words, first) = &mut *to.borrow_mut();
        *first += 1;
        let buffer = session.buffer(size)?;
        number(session, &kernel, &buffer, *first)?;
        session.read(&buffer, words)
    };
    let check = move || numbers_from(&host.borrow().0, host.borrow().1 as u32);
    Ok(Work::new(1, once, check))
}

/// Returns the work of [`cycle`] that reads only the last word instead of the whole buffer.
fn short_cycle(session: &'static Session, size: usize) -> Result<Work> {
    let kernel = session.build(SOURCE, "")?.kernel("number")?;
    let kernel = Rc::new(kernel);
    let again = kernel.clone();
    let once = move || {
        let buffer = session.buffer(size)?;
        number(session, &kernel, &buffer, 3)?;
        session.finish()
    };
    let check = move || {
        let (buffer, mut words) = (session.buffer(size)?, vec![0u32; size / 4]);
        number(session, &again, &buffer, 3)?;
        session.read(&buffer, &mut words)?;
        numbers_from(&words, 3)
    };
    Ok(Work::new(1, once, check))
}

/// Returns the work of c = a * b + d with a buffer for the product and one for the sum, as an array library
/// computes it.
fn expression(session: &'static Session, floats: usize) -> Result<Work> {
    let program = session.build(SOURCE, "")?;
    let kernels = [program.kernel("multiply")?, program.kernel("add")?];
    let arrays: Vec<Vec<f32>> =
        (1..4).map(|k| (0..floats).map(|i| ((i % 1021) * k) as f32).collect()).collect();
    let buffers = arrays.iter().map(|array| {
        let buffer = session.buffer(4 * floats)?;
        session.write(&buffer, array)?;
        Ok(buffer)
    });
    let buffers: Vec<Buffer> = buffers.collect::<Result<_>>()?;
    let evaluate = move || -> Result<Buffer> {
        let [a, b, d] = [0, 1, 2].map(|i| Arg::Buffer(&buffers[i]));
        let product = session.buffer(4 * floats)?;
        kernels[0].set(&[a, b, Arg::Buffer(&product)])?;
        session.enqueue(&kernels[0], &[floats], None)?;
        let sum = session.buffer(4 * floats)?;
        kernels[1].set(&[Arg::Buffer(&product), d, Arg::Buffer(&sum)])?;
        session.enqueue(&kernels[1], &[floats], None)?;
        session.finish()?;
        Ok(sum)
    };
    let evaluate = Rc::new(evaluate);
    let again = evaluate.clone();
    let check = move || {
        let mut found = vec![0f32; floats];
        session.read(&again()?, &mut found)?;
        let good = (0..floats).all(|i| found[i] == arrays[0][i] * arrays[1][i] + arrays[2][i]);
        if good { Ok(()) } else { Err("the expression is wrong".into()) }
    };
    Ok(Work::new(1, move || evaluate().map(drop), check))
}
