//! Programs that grow by one construct: what building them allocates grows no faster than they do.
//!
//! Nothing is timed. What a compiler does too often nearly always takes memory each time: tables of a pass that runs
//! once more than it should, copies of code, lists for each pair of things. So the bytes asked for are counted, all
//! that ever were and the most at once, from source to machine code. `bench`'s `scale` measures time
//! (`docs/compile-time.md`).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use grus_core::compile::{self, Source};
use grus_smith::families::{self, Family};

/// The least size of the smaller of each pair; the larger is four times that.
const SMALL: usize = 48;

/// A smaller one takes so many bytes in all, or has this size: else the limits of passes do not matter yet.
const ENOUGH: f64 = 30e6;
const LARGE: usize = 384;

/// How much faster than the program it may grow: tables double.
const SLACK: f64 = 2.0;

/// What any program takes.
const FREE: f64 = 1e6;

/// Counts what it gives.
struct Counting;

static TOTAL: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn count(size: usize) {
    TOTAL.fetch_add(size, Ordering::Relaxed);
    let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: all is the system's allocator's work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that one build takes: in all, and at once.
fn build(family: &Family, size: usize) -> [f64; 2] {
    let source = Source { name: "grown.cl".into(), text: family.source(size) };
    let (total, live) = (TOTAL.load(Ordering::Relaxed), LIVE.load(Ordering::Relaxed));
    PEAK.store(live, Ordering::Relaxed);
    let built = compile::build(&source, &[], "");
    let artifact = built.result.unwrap_or_else(|e| panic!("{} {size}: {e:?}: {}", family.name, built.log));
    artifact.compiled(0).unwrap_or_else(|e| panic!("{} {size}: {e}", family.name));
    let taken = TOTAL.load(Ordering::Relaxed) - total;
    [taken as f64, (PEAK.load(Ordering::Relaxed) - live) as f64]
}

/// One test: what others do beside it would be counted too.
#[test]
fn what_a_build_takes_grows_with_the_program() {
    let mut complaints = Vec::new();
    // What is made once.
    build(&families::ALL[0], 1);
    for family in families::ALL {
        // Inlining is free until a program has grown.
        let mut size = if ["calls", "pointers"].contains(&family.name) { 4 * SMALL } else { SMALL };
        let mut small = build(family, size);
        while small[0] < ENOUGH && size < LARGE && 8 * size <= family.most {
            size *= 2;
            small = build(family, size);
        }
        let large = build(family, 4 * size);
        for (what, (small, large)) in ["in all", "at once"].iter().zip(small.into_iter().zip(large)) {
            let growth = large / small;
            println!("{:<10}{size:>5} {what:<8} {:>12.0} {:>12.0} {growth:>6.2}", family.name, small, large);
            if large > SLACK * 4.0 * small + FREE {
                complaints.push(format!(
                    "{}: {growth:.1} times the bytes {what} for 4 times the program",
                    family.name
                ));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
