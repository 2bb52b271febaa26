//! Transfers by size: commands that move memory, beside the host's own copies.

use std::cell::RefCell;
use std::rc::Rc;

use cl_sys as cl;
use grus_bench::client::{Buffer, Result, Session};
use grus_bench::transfer::Window;

use super::host::{self, compare, pattern};
use super::sheet::{Contender, Sheet, Unit, Work, size_name};

const TITLE: &str = "Transfers";
const SIZES: [usize; 8] = [4, 256, 4 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20, 256 << 20];
/// Sizes of images in bytes, all of them squares of texels.
const IMAGE_SIZES: [usize; 6] = [4 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20, 256 << 20];
const PATTERNS: [usize; 6] = [1, 2, 4, 8, 16, 128];
/// Minimum size in bytes of rows that show a rate instead of a time.
// Arbitrary.
const MIN_SIZE_FOR_RATE: usize = 64 << 10;
/// Number of bytes between the rows of windows, half of them before a row.
const GAP: usize = 64;

/// Operation on memory of a given size.
#[derive(Clone, Copy)]
enum Operation {
    Write,
    Read,
    Copy,
    CopyWindow,
    ReadWindow,
    /// Fill, with the length of the pattern.
    Fill(usize),
    Map(cl::cl_map_flags),
    SharedCopy,
    SharedFill,
    /// Operation on an RGBA image with a channel type.
    Image(Images, cl::cl_channel_type),
}

#[derive(Clone, Copy)]
enum Images {
    Write,
    Read,
    Copy,
}

pub fn rows(sheet: &mut Sheet) {
    let mut kinds = vec![
        ("write buffer".to_owned(), Operation::Write),
        ("read buffer".to_owned(), Operation::Read),
        ("copy buffer".to_owned(), Operation::Copy),
        ("copy rect".to_owned(), Operation::CopyWindow),
        ("read rect".to_owned(), Operation::ReadWindow),
    ];
    kinds.extend(PATTERNS.map(|length| (format!("fill, pattern of {length}"), Operation::Fill(length))));
    kinds.extend([
        ("map to read".to_owned(), Operation::Map(cl::CL_MAP_READ)),
        ("map to write".to_owned(), Operation::Map(cl::CL_MAP_WRITE)),
        ("SVM memcpy".to_owned(), Operation::SharedCopy),
        ("SVM memfill".to_owned(), Operation::SharedFill),
    ]);
    for (ty, channel) in [("RGBA8", cl::CL_UNORM_INT8), ("RGBA float", cl::CL_FLOAT)] {
        for (verb, images) in [("write", Images::Write), ("read", Images::Read), ("copy", Images::Copy)] {
            kinds.push((format!("{verb} image {ty}"), Operation::Image(images, channel)));
        }
    }
    for (name, what) in kinds {
        let sizes = if matches!(what, Operation::Image(..)) { &IMAGE_SIZES[..] } else { &SIZES[..] };
        for &size in sizes.iter().filter(|&&size| !matches!(what, Operation::Fill(length) if length > size)) {
            let is_time = size < MIN_SIZE_FOR_RATE || matches!(what, Operation::Map(_));
            let unit = if is_time { Unit::Microseconds } else { Unit::Rate };
            sheet.row(TITLE, &format!("{name}, {}", size_name(size)), unit, |who| {
                let work = match who {
                    Contender::Host(threads) => on_host(what, threads, size),
                    Contender::Device { session, .. } => Some(on_device(what, session, size)?),
                };
                Ok(work.map(|work| if is_time { Work { amount: 1.0, ..work } } else { work }))
            });
        }
    }
}

/// Returns the host's equivalent of an operation.
fn on_host(what: Operation, threads: usize, size: usize) -> Option<Work> {
    match what {
        Operation::Map(_) => None,
        Operation::Fill(_) | Operation::SharedFill => host::fill(threads, size),
        Operation::CopyWindow | Operation::ReadWindow => {
            let window = window(size);
            host::copy_rows(threads, window.size, window.origin[0], window.pitch)
        }
        _ => host::copy(threads, size),
    }
}

/// Returns a square window of `size` bytes.
fn window(size: usize) -> Window {
    let side = size.isqrt();
    Window { size: [side, side], origin: [GAP / 2, 0], pitch: side + GAP }
}

/// Creates a buffer that contains the pattern.
fn filled(session: &Session, size: usize) -> Result<Buffer> {
    let buffer = session.buffer(size)?;
    session.write(&buffer, pattern(size))?;
    Ok(buffer)
}

/// Creates a buffer whose pages the system has already allocated.
fn touched(session: &Session, size: usize) -> Result<Buffer> {
    let buffer = session.buffer(size)?;
    session.fill(&buffer, &[0], size)?;
    Ok(buffer)
}

fn contents(session: &Session, buffer: &Buffer, size: usize) -> Result<Vec<u8>> {
    let mut found = vec![0; size];
    session.read(buffer, &mut found)?;
    Ok(found)
}

/// Host memory that commands read into.
struct Target(Rc<RefCell<Vec<u8>>>);

impl Target {
    fn new(size: usize) -> Target {
        Target(Rc::new(RefCell::new(vec![0; size])))
    }

    /// Returns a work that reads into the target, and checks its contents afterwards.
    fn work(
        self,
        amount: usize,
        read: impl Fn(&mut [u8]) -> Result<()> + 'static,
        check: impl Fn(&[u8]) -> Result<()> + 'static,
    ) -> Work {
        let to = self.0.clone();
        Work::new(amount, move || read(&mut to.borrow_mut()), move || check(&self.0.borrow()))
    }
}

fn on_device(what: Operation, session: &'static Session, size: usize) -> Result<Work> {
    match what {
        Operation::Write => {
            let buffer = Rc::new(touched(session, size)?);
            let to = buffer.clone();
            let once = move || session.write(&to, pattern(size));
            let check = move || compare("write", &contents(session, &buffer, size)?, pattern(size));
            Ok(Work::new(size, once, check))
        }
        Operation::Read => {
            let buffer = filled(session, size)?;
            let read = move |to: &mut [u8]| session.read(&buffer, to);
            Ok(Target::new(size).work(size, read, move |found| compare("read", found, pattern(size))))
        }
        Operation::Copy => {
            let (from, to) = (filled(session, size)?, Rc::new(touched(session, size)?));
            let target = to.clone();
            let once = move || {
                session.copy(&from, &target, size)?;
                session.finish()
            };
            let check = move || compare("copy", &contents(session, &to, size)?, pattern(size));
            Ok(Work::new(size, once, check))
        }
        Operation::CopyWindow | Operation::ReadWindow => windows(what, session, window(size)),
        Operation::Fill(length) => {
            let to = Rc::new(touched(session, size)?);
            let target = to.clone();
            let once = move || {
                session.fill(&target, pattern(length), size)?;
                session.finish()
            };
            let check = move || repeats(&contents(session, &to, size)?, pattern(length));
            Ok(Work::new(size, once, check))
        }
        Operation::Map(flags) => map(session, flags, size),
        Operation::SharedCopy | Operation::SharedFill => shared(what, session, size),
        Operation::Image(images, channel) => image(images, session, channel, size),
    }
}

fn repeats(found: &[u8], unit: &[u8]) -> Result<()> {
    let good = found.chunks(unit.len()).all(|chunk| chunk == unit);
    if good { Ok(()) } else { Err("the pattern is not everywhere".into()) }
}

/// Checks that the rows of a window were written, and the bytes between them were not.
fn in_window(found: &[u8], window: Window) -> Result<()> {
    let mut wanted = vec![0; found.len()];
    for (row, from) in wanted.chunks_mut(window.pitch).zip(pattern(found.len()).chunks(window.pitch)) {
        let bytes = window.origin[0]..window.origin[0] + window.size[0];
        row[bytes.clone()].copy_from_slice(&from[bytes]);
    }
    compare("window", found, &wanted)
}

fn windows(what: Operation, session: &'static Session, window: Window) -> Result<Work> {
    let (size, amount) = (window.pitch * window.size[1], window.size[0] * window.size[1]);
    let from = filled(session, size)?;
    if matches!(what, Operation::ReadWindow) {
        let read = move |to: &mut [u8]| session.read_window(&from, to, window);
        return Ok(Target::new(size).work(amount, read, move |found| in_window(found, window)));
    }
    let to = Rc::new(touched(session, size)?);
    let target = to.clone();
    let once = move || {
        session.copy_window(&from, &target, window)?;
        session.finish()
    };
    Ok(Work::new(amount, once, move || in_window(&contents(session, &to, size)?, window)))
}

/// Returns a work that maps and unmaps, without accesses to the memory. The check accesses it through a map.
fn map(session: &'static Session, flags: cl::cl_map_flags, size: usize) -> Result<Work> {
    let buffer = Rc::new(filled(session, size)?);
    let again = buffer.clone();
    let once = move || session.map(&buffer, flags, size, |_| {});
    let check = move || {
        if flags & cl::CL_MAP_WRITE != 0 {
            session.map(&again, flags, size, |bytes| bytes[size - 1] ^= 0xFF)?;
        }
        let mut wanted = pattern(size).to_vec();
        wanted[size - 1] ^= if flags & cl::CL_MAP_WRITE != 0 { 0xFF } else { 0 };
        let mut found = Ok(());
        session.map(&again, cl::CL_MAP_READ, size, |bytes| found = compare("map", bytes, &wanted))?;
        found
    };
    Ok(Work::new(1, once, check))
}

fn shared(what: Operation, session: &'static Session, size: usize) -> Result<Work> {
    let (from, to) = (session.shared(size)?, Rc::new(session.shared(size)?));
    from.write(pattern(size))?;
    to.fill(&[0])?;
    session.finish()?;
    let unit = if size < 16 { 4 } else { 16 };
    let target = to.clone();
    let is_copy = matches!(what, Operation::SharedCopy);
    let once = move || {
        if is_copy {
            from.copy_to(&target)?
        } else {
            target.fill(pattern(unit))?
        }
        session.finish()
    };
    let check = move || {
        let mut found = vec![0; size];
        to.read(&mut found)?;
        if is_copy { compare("SVM", &found, pattern(size)) } else { repeats(&found, pattern(unit)) }
    };
    Ok(Work::new(size, once, check))
}

fn image(images: Images, session: &'static Session, channel: u32, size: usize) -> Result<Work> {
    let texel = if channel == cl::CL_FLOAT { 16 } else { 4 };
    let side = (size / texel).isqrt();
    let make = || -> Result<_> {
        let image = session.image(channel, [side, side, 1])?;
        session.write_image(&image, &vec![0u8; size])?;
        Ok(Rc::new(image))
    };
    let to = make()?;
    let target = to.clone();
    let check = move || {
        let mut found = vec![0u8; size];
        session.read_image(&to, &mut found)?;
        compare("image", &found, pattern(size))
    };
    match images {
        Images::Write => Ok(Work::new(size, move || session.write_image(&target, pattern(size)), check)),
        Images::Read => {
            session.write_image(&target, pattern(size))?;
            let read = move |to: &mut [u8]| session.read_image(&target, to);
            Ok(Target::new(size).work(size, read, move |found| compare("image", found, pattern(size))))
        }
        Images::Copy => {
            let from = make()?;
            session.write_image(&from, pattern(size))?;
            let once = move || {
                session.copy_image(&from, &target)?;
                session.finish()
            };
            Ok(Work::new(size, once, check))
        }
    }
}
