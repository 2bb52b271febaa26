//! Tests that the memory a build allocates grows no faster than the program, for programs that grow by one
//! construct.
//!
//! Nothing is timed. Superlinear work of a compiler nearly always allocates superlinearly: a pass that runs too
//! often makes its tables each time, code is copied, lists are made for each pair of values. So these tests count
//! the bytes allocated from source to machine code, in total and at the peak. The benchmark `scale` measures time
//! (`docs/compile-time.md`).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use grus_core::compile::{self, Source};
use grus_smith::families::{self, Family};

/// Initial size of the smaller program of each pair. The larger program has four times its size.
// Arbitrary.
const INITIAL_SIZE: usize = 48;

/// Number of allocated bytes, and size of a program, at which the smaller program is large enough. Below both the
/// limits of passes have no effect yet.
// Arbitrary.
const MIN_ALLOCATED: f64 = 30e6;
const MAX_SMALL_SIZE: usize = 384;

/// Factor by which memory may grow faster than the program, since tables grow by doubling.
// Arbitrary.
const GROWTH_TOLERANCE: f64 = 2.0;

/// Number of bytes that any build may allocate, whatever its size.
// Arbitrary.
const BASE_ALLOCATION: f64 = 1e6;

/// Allocator that counts the bytes it hands out.
struct Counting;

static TOTAL: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn count(size: usize) {
    TOTAL.fetch_add(size, Ordering::Relaxed);
    let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: each method passes its arguments to `System`, which is a correct allocator, and returns its result
// unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller of `alloc` guarantees that the size of `layout` is not zero, which is all that
        // `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller guarantees that `ptr` was allocated by this allocator, that is by `System`, with this
        // layout.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller of `alloc_zeroed` guarantees that the size of `layout` is not zero, which is all that
        // `System` requires.
        unsafe { System.alloc_zeroed(layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Builds a program of a family and returns the number of bytes allocated, in total and at the peak.
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

/// Runs all checks in one test: allocations of tests that run at the same time would be counted too.
#[test]
fn what_a_build_takes_grows_with_the_program() {
    let mut complaints = Vec::new();
    // The first build initializes globals, which must not be counted.
    build(&families::ALL[0], 1);
    for family in families::ALL {
        // Inlining is not limited until a program has grown. Beyond 48 functions the pointer of `twice` is a variable of
        // each work-item: that takes three times the code where vectors are gathered lane by lane (AVX2).
        let mut size = match family.name {
            "calls" | "pointers" => 4 * INITIAL_SIZE,
            "twice" => 64,
            _ => INITIAL_SIZE,
        };
        let mut small = build(family, size);
        while small[0] < MIN_ALLOCATED && size < MAX_SMALL_SIZE && 8 * size <= family.max_size {
            size *= 2;
            small = build(family, size);
        }
        let large = build(family, 4 * size);
        for (what, (small, large)) in ["in all", "at once"].iter().zip(small.into_iter().zip(large)) {
            let growth = large / small;
            println!("{:<10}{size:>5} {what:<8} {:>12.0} {:>12.0} {growth:>6.2}", family.name, small, large);
            if large > GROWTH_TOLERANCE * 4.0 * small + BASE_ALLOCATION {
                complaints.push(format!(
                    "{}: {growth:.1} times the bytes {what} for 4 times the program",
                    family.name
                ));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
