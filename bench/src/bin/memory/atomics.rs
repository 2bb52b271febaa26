//! Atomic operations: nanoseconds per operation, over all threads together.

use std::rc::Rc;

use grus_bench::client::{Arg, Buffer, Kernel, Program, Result, Session};
use grus_bench::suite::data::Random;

use super::SOURCE;
use super::sheet::{Sheet, Unit, Work};

const TITLE: &str = "Atomics";
const ITEMS: usize = 1 << 20;
const GROUP: usize = 256;
const BINS: usize = 256;
/// Number of bins that a work-item of the local histogram counts, and number of loads of a work-item.
const BINS_OF_ITEM: usize = 16;
const LOADS_OF_ITEM: usize = 8;

pub fn rows(sheet: &mut Sheet) {
    for (place, is_local) in [("local", true), ("global", false)] {
        for (name, bins) in [("256 bins", BINS), ("1 bin", 1)] {
            let name = format!("{place} histogram, {name}");
            sheet.row(TITLE, &name, Unit::Nanoseconds, |who| {
                who.on_device(|session| histogram(session, is_local, bins))
            });
        }
    }
    for (name, kernel) in [
        ("counter, result unused", "count"),
        ("counter, result used", "tickets"),
        ("cmpxchg loop, one counter", "cmpxchg"),
    ] {
        sheet.row(TITLE, name, Unit::Nanoseconds, |who| who.on_device(|session| counter(session, kernel)));
    }
    for (name, bins) in [("float add by cmpxchg, one sum", 1), ("float add by cmpxchg, 256 sums", BINS)] {
        sheet.row(TITLE, name, Unit::Nanoseconds, |who| who.on_device(|session| float_add(session, bins)));
    }
    for (what, kernel) in [
        ("fetch_add, one counter", "add"),
        ("fetch_add, each its own", "spread"),
        ("exchange, each its own", "exchange"),
        ("compare_exchange, each its own", "cas"),
        ("store, each its own", "store"),
        ("load", "load"),
    ] {
        for bits in [32, 64] {
            for order in ["relaxed", "seq_cst"] {
                sheet.row(TITLE, &format!("{what}, {bits} bits, {order}"), Unit::Nanoseconds, |who| {
                    who.on_device(|session| ordered(session, kernel, bits, order))
                });
            }
        }
    }
}

/// Creates a buffer of zeroed words.
fn zeros(session: &Session, words: usize) -> Result<Rc<Buffer>> {
    let buffer = session.buffer(4 * words)?;
    session.write(&buffer, &vec![0u32; words])?;
    Ok(Rc::new(buffer))
}

fn words(session: &Session, buffer: &Buffer) -> Result<Vec<u32>> {
    let mut found = vec![0; buffer.size / 4];
    session.read(buffer, &mut found)?;
    Ok(found)
}

/// Returns the bin of each work-item, and the number of work-items of each bin.
fn bins_of(items: usize, bins: usize) -> Result<(Vec<u32>, Vec<u32>)> {
    if !(1..=BINS).contains(&bins) {
        return Err(format!("{bins} bins, at most {BINS} are counted"));
    }
    let mut random = Random::new(1);
    let of_items: Vec<u32> = (0..items).map(|_| random.below(bins) as u32).collect();
    let mut counts = vec![0; BINS];
    of_items.iter().for_each(|&bin| counts[bin as usize] += 1);
    Ok((of_items, counts))
}

/// Returns a work that launches over all work-items, with a check that zeroes the output and runs it once more.
fn launches(
    session: &'static Session,
    kernel: Kernel,
    amount: usize,
    items: usize,
    out: Rc<Buffer>,
    check: impl Fn(Vec<u32>) -> Result<()> + 'static,
) -> Work {
    let once = Rc::new(move || -> Result<()> {
        session.enqueue(&kernel, &[items], Some(&[GROUP]))?;
        session.finish()
    });
    let again = once.clone();
    let check = move || {
        session.write(&out, &vec![0u32; out.size / 4])?;
        again()?;
        check(words(session, &out)?)
    };
    Work::new(amount, move || once(), check)
}

fn same(found: &[u32], wanted: &[u32]) -> Result<()> {
    let wrong = found.iter().zip(wanted).filter(|(a, b)| a != b).count();
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} words are wrong")) }
}

fn histogram(session: &'static Session, is_local: bool, bins: usize) -> Result<Work> {
    let (of_items, counts) = bins_of(ITEMS, bins)?;
    let input = session.buffer(4 * ITEMS)?;
    session.write(&input, &of_items)?;
    let out = zeros(session, BINS)?;
    let kernel =
        session.build(SOURCE, "")?.kernel(if is_local { "histogram_local" } else { "histogram_global" })?;
    kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&out)])?;
    let items = if is_local { ITEMS / BINS_OF_ITEM } else { ITEMS };
    let work = launches(session, kernel, ITEMS, items, out, move |found| same(&found, &counts));
    Ok(keep_alive(work, input))
}

/// Returns a work that keeps `what` alive.
fn keep_alive<T: 'static>(work: Work, what: T) -> Work {
    let Work { amount, mut run, check } = work;
    let run = Box::new(move |count| {
        let _kept = &what;
        run(count)
    });
    Work { amount, run, check }
}

fn counter(session: &'static Session, name: &str) -> Result<Work> {
    let kernel = session.build(SOURCE, "")?.kernel(name)?;
    let out = zeros(session, 1)?;
    let total = |found: Vec<u32>| same(&found, &[ITEMS as u32]);
    if name != "tickets" {
        kernel.set(&[Arg::Buffer(&out)])?;
        return Ok(launches(session, kernel, ITEMS, ITEMS, out, total));
    }
    let tickets = zeros(session, ITEMS)?;
    kernel.set(&[Arg::Buffer(&out), Arg::Buffer(&tickets)])?;
    let check = move |found| {
        total(found)?;
        let mut given = words(session, &tickets)?;
        given.sort_unstable();
        same(&given, &(0..ITEMS as u32).collect::<Vec<_>>())
    };
    Ok(launches(session, kernel, ITEMS, ITEMS, out, check))
}

fn float_add(session: &'static Session, bins: usize) -> Result<Work> {
    let (of_items, counts) = bins_of(ITEMS, bins)?;
    let input = session.buffer(4 * ITEMS)?;
    session.write(&input, &of_items)?;
    let kernel = session.build(SOURCE, "")?.kernel("float_add")?;
    let out = zeros(session, BINS)?;
    kernel.set(&[Arg::Buffer(&input), Arg::Buffer(&out)])?;
    let wanted: Vec<u32> = counts.iter().map(|&count| (count as f32).to_bits()).collect();
    let work = launches(session, kernel, ITEMS, ITEMS, out, move |found| same(&found, &wanted));
    Ok(keep_alive(work, input))
}

/// Builds the program with a language version that has these functions and that the device supports.
fn with_orders(session: &Session) -> Result<Program> {
    session
        .build(SOURCE, "-cl-std=CL3.0 -DORDERED")
        .or_else(|_| session.build(SOURCE, "-cl-std=CL2.0 -DORDERED"))
}

fn ordered(session: &'static Session, name: &str, bits: usize, order: &str) -> Result<Work> {
    let kernel = with_orders(session)?.kernel(&format!("{name}_{bits}_{order}"))?;
    let words_each = bits / 32;
    let (own, all) = (zeros(session, ITEMS * words_each)?, zeros(session, words_each)?);
    kernel.set(&[Arg::Buffer(&own), Arg::Buffer(&all)])?;
    // Extracts the low word of each number; the other words stay 0.
    let low = move |found: &[u32], wanted: u32| {
        let good = found
            .chunks(words_each)
            .all(|number| number[0] == wanted && number[1..].iter().all(|&high| high == 0));
        if good { Ok(()) } else { Err("a number is wrong".to_owned()) }
    };
    let (amount, out, other, wanted) = match name {
        "add" => (ITEMS, all, own, ITEMS as u32),
        "load" => (ITEMS * LOADS_OF_ITEM, all, own, 0),
        "exchange" | "store" => (ITEMS, own, all, 7),
        _ => (ITEMS, own, all, 1),
    };
    let work = launches(session, kernel, amount, ITEMS, out, move |found| low(&found, wanted));
    Ok(keep_alive(work, other))
}
