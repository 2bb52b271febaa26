//! Async copies: bytes of the elements copied, summed over all threads, in tiles that stay in the L1 cache.

use std::rc::Rc;

use grus_bench::client::{Arg, Result, Session};

use super::SOURCE;
use super::host::{compare, pattern};
use super::sheet::{Sheet, Unit, Work};

const TITLE: &str = "Async copies";
/// Number of elements of a tile, and number of its copies, as in the source.
const COUNT: usize = 256;
const REPEATED: usize = 64;
const GROUPS: usize = 64;
const GROUP: usize = 64;
/// Types and their sizes in bytes.
const TYPES: [(&str, usize); 9] = [
    ("char", 1),
    ("short", 2),
    ("int", 4),
    ("long", 8),
    ("int4", 16),
    ("char3", 4),
    ("short3", 8),
    ("int3", 16),
    ("long3", 32),
];
const STRIDES: [usize; 5] = [1, 2, 3, 16, 1000];

pub fn rows(sheet: &mut Sheet) {
    for (verb, is_in) in [("to local", true), ("to global", false)] {
        for (ty, size) in TYPES {
            let name = format!("async copy {verb}, {ty}");
            let kernel = format!("{}_{ty}", if is_in { "in" } else { "out" });
            sheet.row(TITLE, &name, Unit::Rate, |who| {
                who.on_device(|session| copies(session, &kernel, is_in, size, 1))
            });
        }
        for (ty, size) in TYPES {
            for stride in STRIDES {
                let name = format!("async strided copy {verb}, {ty}, stride {stride}");
                let kernel = format!("strided_{}_{ty}", if is_in { "in" } else { "out" });
                sheet.row(TITLE, &name, Unit::Rate, |who| {
                    who.on_device(|session| copies(session, &kernel, is_in, size, stride))
                });
            }
        }
    }
}

/// Returns the bytes of a work-group's span in the memory that is accessed with a stride.
fn span(size: usize, stride: usize) -> usize {
    (COUNT * stride + REPEATED) * size
}

/// Returns the expected contents of the other buffer after all copies.
fn expected(is_in: bool, size: usize, stride: usize) -> Vec<u8> {
    let (tile, span) = (COUNT * size, span(size, stride));
    if is_in {
        let from = pattern(GROUPS * span);
        let starts = (0..GROUPS).map(|group| group * span + (REPEATED - 1) * size);
        let elements = starts.flat_map(|start| (0..COUNT).map(move |i| start + i * stride * size));
        return elements.flat_map(|at| from[at..at + size].iter().copied()).collect();
    }
    let from = pattern(GROUPS * tile);
    let mut to = vec![0; GROUPS * span];
    for (from, to) in from.chunks(tile).zip(to.chunks_mut(span)) {
        for repeat in 0..REPEATED {
            for (i, element) in from.chunks(size).enumerate() {
                to[(repeat + i * stride) * size..][..size].copy_from_slice(element);
            }
        }
    }
    to
}

fn copies(session: &'static Session, name: &str, is_in: bool, size: usize, stride: usize) -> Result<Work> {
    let (tiles, spans) = (GROUPS * COUNT * size, GROUPS * span(size, stride));
    let (inner, outer) = if is_in { (spans, tiles) } else { (tiles, spans) };
    let (from, to) = (session.buffer(inner)?, Rc::new(session.buffer(outer)?));
    session.write(&from, pattern(inner))?;
    session.write(&to, &vec![0u8; outer])?;
    let kernel = session.build(SOURCE, "")?.kernel(name)?;
    kernel.set(&[Arg::Buffer(&from), Arg::Buffer(&to), Arg::Int(stride as i32)])?;
    // The closure keeps the arguments alive as long as the kernel.
    let once = move || {
        let _from = &from;
        session.enqueue(&kernel, &[GROUPS * GROUP], Some(&[GROUP]))?;
        session.finish()
    };
    // A vector of three elements leaves the fourth element of its storage undefined.
    let (room, used) = (size, if name.ends_with('3') { size / 4 * 3 } else { size });
    let parts = move |bytes: Vec<u8>| -> Vec<u8> {
        bytes.chunks(room).flat_map(|element| element[..used].to_vec()).collect()
    };
    let check = move || {
        let mut found = vec![0; outer];
        session.read(&to, &mut found)?;
        compare("async copy", &parts(found), &parts(expected(is_in, size, stride)))
    };
    Ok(Work::new(REPEATED * tiles, once, check))
}
