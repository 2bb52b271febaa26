//! Large allocations: mappings of the library's own, in huge pages if the system has them, which are cached when
//! they are freed.
//!
//! Touching 8 MB of fresh memory in small pages takes several times as long as the kernel that writes it, and
//! returning it takes a quarter of that. Programs that allocate an array for every result would mostly wait for the
//! system. A freed mapping is therefore kept for [`AGE`] and reused by the next allocation of a similar size.
//! Programs with loops request exactly the same sizes again, so a share of memory is kept for repeated sizes, and
//! little for all others.

use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::runtime::host::host;
use grus_support::fork::{self, Global};
use grus_support::huge_pages::{self, HUGE};
use grus_support::sync::Mutex;
use grus_support::{memory, thread};

/// Size in bytes from which on allocations are mappings.
// Source: the C library's default threshold, from which on it uses mappings that it does not keep.
pub(super) const MIN_MAPPING: usize = 128 << 10;

/// Alignment in bytes of mappings that are smaller than a huge page; larger ones are aligned to a huge page.
const PAGE: usize = 4096;

/// Number of different offsets, in pages, at which allocations begin in their mappings. Some processors take a load for one from memory that was stored before if the addresses agree modulo a
/// megabyte, and wait: kernels that read one array and write another must not find both at the same place in their huge
/// pages. Cf. page coloring (Kessler, Hill, Page Placement Algorithms for Large Real-Indexed Caches, TOCS 1992).
// Source: a stencil takes 2.5 times as long on one Xeon if the arrays are 1, 2 or 16 MB apart, but not with 1, 2, 4 or
// 16 pages more, 2026-11-30.
const OFFSETS: usize = 16;

/// Step from the offset of one allocation to that of the next, in pages.
// Arbitrary: odd, so that all offsets occur, and neighbors never differ by a power of two.
const OFFSET_STEP: usize = 11;

/// Divisor of a small allocation's size that limits its offset.
// Arbitrary.
const OFFSET_DIVISOR: usize = 16;

/// Time for which an unused mapping is kept.
// Arbitrary.
const AGE: Duration = Duration::from_millis(500);

/// Maximum number of bytes that are kept.
// Arbitrary.
const MAX_KEPT: usize = 1 << 30;

/// Divisor of the size of the machine's memory; the quotient limits the bytes that are kept, too.
// Arbitrary.
const MEMORY_DIVISOR: u64 = 16;

/// Maximum number of bytes that are kept of sizes that were not requested before.
// Arbitrary.
const MAX_NEW: usize = 32 << 20;

/// Number of requests that are remembered.
// Arbitrary.
const REMEMBERED: usize = 256;

/// Cache of free mappings, the most recent last.
#[derive(Default)]
struct PageCache {
    mappings: Vec<CachedMapping>,
    bytes: usize,
    /// Number of bytes of sizes that were not requested before.
    new_bytes: usize,
    requests: SizeHistory,
    /// Start and end of fresh mappings in use that no transfer has filled yet.
    fresh: BTreeMap<usize, usize>,
}

/// Free mapping in the cache.
struct CachedMapping {
    mapping: PageMapping,
    since: Instant,
    is_repeated_size: bool,
}

/// Sizes of the latest requests.
struct SizeHistory {
    sizes: [usize; REMEMBERED],
    next: usize,
}

/// Range of the address space; it is not unmapped when dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PageMapping {
    start: NonNull<u8>,
    size: usize,
    /// Offset of the allocation in it.
    offset: usize,
    /// NUMA node that its pages are taken from; none if they are taken from that of the thread that touches them first.
    node: Option<usize>,
}

// SAFETY: the type is an address and a size; only the unsafe code of the mapping's owner accesses the memory.
unsafe impl Send for PageMapping {}
// SAFETY: shared access can only copy the address and the size.
unsafe impl Sync for PageMapping {}

/// Large allocation.
pub(super) struct Pages {
    mapping: PageMapping,
    /// True if the memory reads as zeros.
    pub is_fresh: bool,
    /// True if the size was requested before and is likely to be requested again.
    is_repeated_size: bool,
}

/// Returns the cache. A child of a fork at which the process was quiescent frees the cached mappings that it
/// inherits, since writes to them by the parent would cost memory for copies.
fn cache() -> &'static Mutex<PageCache> {
    static CACHE: Global<Mutex<PageCache>> = Global::of_objects();
    CACHE.get(Mutex::default)
}

impl Pages {
    /// Allocates at least `size` bytes, where `size` is at least [`MIN_MAPPING`], from the cache or the system, in a NUMA
    /// node if there is one to prefer. Returns `None` if there is no memory.
    pub fn allocate(size: usize, node: Option<usize>) -> Option<Pages> {
        let offsets = (size / OFFSET_DIVISOR / PAGE).clamp(1, OFFSETS);
        let used = size.checked_add(offsets * PAGE)?;
        let rounded = rounded(used)?;
        let mut cache = cache().lock();
        let is_repeated_size = cache.requests.note(size);
        if let Some(mapping) = cache.take(rounded, node) {
            return Some(Pages { mapping, is_fresh: false, is_repeated_size });
        }
        drop(cache);
        let fresh = PageMapping::new(rounded, used, next_offset(offsets), node).or_else(|| {
            release();
            PageMapping::new(size.checked_next_multiple_of(PAGE)?, size, 0, node)
        });
        let mapping = fresh?;
        self::cache().lock().fresh.insert(mapping.start.addr().get(), mapping.end());
        Some(Pages { mapping, is_fresh: true, is_repeated_size })
    }

    /// Returns the address of the first byte.
    pub fn start(&self) -> *mut u8 {
        self.mapping.start.as_ptr().wrapping_add(self.mapping.offset)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.is_fresh {
            cache().lock().fresh.remove(&self.mapping.start.addr().get());
        }
        if !keep(self.mapping, self.is_repeated_size) {
            self.mapping.unmap();
        }
    }
}

/// Returns the offset in bytes of the next allocation, one of this number.
fn next_offset(offsets: usize) -> usize {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    COUNT.fetch_add(OFFSET_STEP, Ordering::Relaxed) % offsets * PAGE
}

/// Reports that a transfer is about to fill these bytes. Returns whether it is the first one in a fresh mapping,
/// which may have no pages yet.
pub(super) fn begin_to_fill(start: usize, size: usize) -> bool {
    let mut cache = cache().lock();
    let around = cache.fresh.range(..=start).next_back().map(|(&start, &end)| (start, end));
    match around {
        Some((first, end)) if start + size <= end => cache.fresh.remove(&first).is_some(),
        _ => false,
    }
}

/// Makes the system create all pages in these bytes at once, which takes two thirds of the time of single page
/// faults. If that is not supported, the pages are created when they are written.
///
/// # Safety
/// The caller may write the bytes.
pub(super) unsafe fn populate(start: *mut u8, size: usize) {
    let before = start.align_offset(PAGE).min(size);
    let whole = (size - before) / PAGE * PAGE;
    // SAFETY: the range consists of whole pages that the caller may write; no byte changes.
    unsafe { libc::madvise(start.wrapping_add(before).cast(), whole, libc::MADV_POPULATE_WRITE) };
}

/// Returns the cached mappings to the system. Returns whether there were any. May be called while any lock is held,
/// including the cache's. Frees no other memory, so it may be called in a forked child.
fn release() -> bool {
    let Some(mut cache) = cache().try_lock() else { return false };
    let is_something = !cache.mappings.is_empty();
    cache.mappings.iter().for_each(|cached| cached.mapping.unmap());
    cache.mappings.clear();
    (cache.bytes, cache.new_bytes) = (0, 0);
    is_something
}

/// Rounds to the size classes of the cache: eight between a power of two and the next. Pages that are not touched
/// take no memory.
fn rounded(size: usize) -> Option<usize> {
    let step = (size.next_power_of_two() / 16).max(PAGE);
    size.checked_next_multiple_of(step).filter(|&size| isize::try_from(size).is_ok())
}

/// Adds a mapping to the cache unless it is too large, evicting older ones. Returns whether it was added.
fn keep(mapping: PageMapping, is_repeated_size: bool) -> bool {
    static LIMIT: Global<usize> = Global::fact();
    let limit = *LIMIT.get(|| {
        let share = usize::try_from(host().memory / MEMORY_DIVISOR).unwrap_or(0);
        share.min(MAX_KEPT)
    });
    if mapping.size > if is_repeated_size { limit } else { limit.min(MAX_NEW) } || memory::is_low() {
        return false;
    }
    memory::set_reclaim(release);
    let mut cache = cache().lock();
    if cache.mappings.try_reserve(1).is_err() {
        return false;
    }
    let gone = cache.add(CachedMapping { mapping, since: Instant::now(), is_repeated_size }, limit);
    drop(cache);
    gone.into_iter().for_each(PageMapping::unmap);
    // The check comes last: the watcher thread ends only if it finds the cache empty, under the lock.
    if !is_watched() {
        release();
    }
    true
}

/// Checks whether there is a thread that frees unused mappings, and starts it if there is none. The thread ends
/// when the cache is empty.
fn is_watched() -> bool {
    /// Number of forks when the watcher thread was started, plus one; 0 if there is none.
    static WATCHED: AtomicU32 = AtomicU32::new(0);
    let mine = fork::count() + 1;
    let before = WATCHED.load(Ordering::Acquire);
    if before == mine || WATCHED.compare_exchange(before, mine, Ordering::AcqRel, Ordering::Acquire).is_err()
    {
        return true;
    }
    let watch = || {
        loop {
            std::thread::sleep(AGE / 2);
            // A fork waits while this thread holds locks.
            let _inside = fork::enter(|| ());
            let mut cache = cache().lock();
            let old = cache.take_old();
            if old.is_empty() && cache.mappings.is_empty() {
                WATCHED.store(0, Ordering::Release);
                return;
            }
            drop(cache);
            old.into_iter().for_each(PageMapping::unmap);
        }
    };
    let is_started = thread::start("grus-pages", || (), watch).is_ok();
    if !is_started {
        WATCHED.store(0, Ordering::Release);
    }
    is_started
}

impl PageCache {
    /// Adds a mapping that is not larger than `limit`. Returns the evicted mappings.
    fn add(&mut self, cached: CachedMapping, limit: usize) -> Vec<PageMapping> {
        self.bytes += cached.mapping.size;
        self.new_bytes += if cached.is_repeated_size { 0 } else { cached.mapping.size };
        self.mappings.push(cached);
        let mut gone = Vec::new();
        while self.new_bytes > MAX_NEW
            && let Some(oldest) = self.mappings.iter().position(|cached| !cached.is_repeated_size)
        {
            gone.push(self.remove(oldest));
        }
        while self.bytes > limit {
            gone.push(self.remove(0));
        }
        gone
    }

    fn remove(&mut self, at: usize) -> PageMapping {
        let CachedMapping { mapping, is_repeated_size, .. } = self.mappings.remove(at);
        self.count_out(mapping.size, is_repeated_size);
        mapping
    }

    fn count_out(&mut self, size: usize, is_repeated_size: bool) {
        self.bytes -= size;
        self.new_bytes -= if is_repeated_size { 0 } else { size };
    }

    /// Takes the mapping of this size and node that was freed last, because it is the likeliest to be in a cache.
    fn take(&mut self, size: usize, node: Option<usize>) -> Option<PageMapping> {
        let fits = |mapping: PageMapping| mapping.size == size && mapping.node == node;
        let at = self.mappings.iter().rposition(|cached| fits(cached.mapping))?;
        Some(self.remove(at))
    }

    /// Takes the mappings that have been unused for [`AGE`].
    fn take_old(&mut self) -> Vec<PageMapping> {
        let old = self.mappings.iter().take_while(|cached| cached.since.elapsed() >= AGE).count();
        let old: Vec<_> = self.mappings.drain(..old).collect();
        for CachedMapping { mapping, is_repeated_size, .. } in &old {
            self.count_out(mapping.size, *is_repeated_size);
        }
        old.into_iter().map(|cached| cached.mapping).collect()
    }
}

impl Default for SizeHistory {
    fn default() -> Self {
        Self { sizes: [0; REMEMBERED], next: 0 }
    }
}

impl SizeHistory {
    /// Records a size, which is not 0. Returns whether it was requested before.
    fn note(&mut self, size: usize) -> bool {
        let is_repeated_size = self.sizes.contains(&size);
        self.sizes[self.next] = size;
        self.next = (self.next + 1) % REMEMBERED;
        is_repeated_size
    }
}

impl PageMapping {
    /// Returns the address after the last byte.
    fn end(&self) -> usize {
        self.start.addr().get() + self.size
    }

    /// Maps fresh memory, which reads as zeros, for an allocation at an offset in it that ends within the first `used`
    /// bytes.
    fn new(size: usize, used: usize, offset: usize, node: Option<usize>) -> Option<PageMapping> {
        /// Number of bytes at the end for which a huge page is worth its memory.
        // Arbitrary.
        const MIN_LAST: usize = HUGE / 4;
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let align = if size >= HUGE { HUGE } else { PAGE };
        let room = size.checked_add(align - PAGE)?;
        // SAFETY: the mapping is at an address of the system's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), room, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.cast::<u8>();
        let before = start.align_offset(align);
        let part = |from: usize, size: usize| {
            Some(PageMapping { start: NonNull::new(start.wrapping_add(from))?, size, offset: 0, node })
        };
        let whole = PageMapping { offset, ..part(before, size)? };
        let behind = part(before + size, room - size - before)?;
        if before != 0 {
            part(0, before)?.unmap();
        }
        if behind.size != 0 {
            behind.unmap();
        }
        if align == HUGE {
            let in_huge_pages = (used + (HUGE - MIN_LAST)) / HUGE * HUGE;
            // SAFETY: the mapping was made above and consists of whole pages.
            unsafe { huge_pages::advise(whole.start, in_huge_pages.min(size)) };
        }
        whole.prefer_node();
        Some(whole)
    }

    /// Makes the system take pages from the mapping's node, if there is one, as long as that has some. If the system
    /// refuses (containers may not do this), they come from the node of the thread that touches them first.
    fn prefer_node(self) {
        // Source: CONFIG_NODES_SHIFT of Linux is at most 10.
        const MAX_NODES: usize = 1 << 10;
        let Some(node) = self.node.filter(|&node| node < MAX_NODES) else { return };
        let mut nodes = [0_u64; MAX_NODES / 64];
        nodes[node / 64] = 1 << (node % 64);
        // SAFETY: the mapping is the caller's, and `nodes` has the number of bits that is passed, less one as the system
        // wants it.
        unsafe {
            libc::syscall(
                libc::SYS_mbind,
                self.start.as_ptr(),
                self.size,
                libc::MPOL_PREFERRED,
                nodes.as_ptr(),
                MAX_NODES + 1,
                0,
            )
        };
    }

    fn unmap(self) {
        // SAFETY: the range was mapped by `new`, and the caller is its owner. The system refuses only ranges that
        // were never mapped.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.size) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_room_for_what_is_asked_for() {
        for size in [MIN_MAPPING, MIN_MAPPING + 1, HUGE, HUGE + 1, 3_000_000, 100 << 20, (100 << 20) + 4097] {
            let rounded = rounded(size).unwrap();
            assert!(
                rounded >= size && rounded - size <= size / 8 && rounded.is_multiple_of(PAGE),
                "{size} {rounded}"
            );
        }
        assert_eq!(rounded(isize::MAX as usize), None);
    }

    #[test]
    fn what_is_given_back_is_found_again_and_goes_in_the_end() {
        const SIZE: usize = 5_000_000;
        let first = Pages::allocate(SIZE, None).unwrap();
        let start = first.start();
        assert!(start.addr() % HUGE < OFFSETS * PAGE && start.addr().is_multiple_of(PAGE));
        let first_mapping = first.mapping;
        // SAFETY: the allocation has `SIZE` bytes.
        unsafe { start.write_bytes(7, SIZE) };
        let holds = || {
            let is_it = |cached: &CachedMapping| cached.mapping.start == first_mapping.start;
            cache().lock().mappings.iter().any(is_it)
        };
        drop(first);
        assert!(holds());
        let again = Pages::allocate(SIZE, None).unwrap();
        assert_eq!(again.start(), start);
        assert!(!holds());
        drop(again);
        let begin = Instant::now();
        while holds() {
            assert!(begin.elapsed() < Duration::from_secs(60), "it is still kept");
            std::thread::sleep(AGE / 10);
        }
    }

    #[test]
    fn memory_of_a_node_stays_with_it() {
        const SIZE: usize = 6_000_000;
        let policy = |pages: &Pages| {
            let (mut mode, mut nodes) = (-1_i32, [0_u64; 16]);
            // Source: MPOL_F_ADDR of <linux/mempolicy.h>.
            const OF_ADDRESS: usize = 2;
            // SAFETY: both results have the sizes that are passed.
            let code = unsafe {
                libc::syscall(
                    libc::SYS_get_mempolicy,
                    &raw mut mode,
                    nodes.as_mut_ptr(),
                    1024_usize,
                    pages.start(),
                    OF_ADDRESS,
                )
            };
            (code == 0).then_some((mode, nodes[0]))
        };
        let near = Pages::allocate(SIZE, Some(0)).unwrap();
        let start = near.start();
        // The system reports nothing if it was built without NUMA or forbids the question.
        if let Some(found) = policy(&near) {
            assert_eq!(found, (libc::MPOL_PREFERRED, 1));
        }
        drop(near);
        // A node that does not exist, and none, are other memory.
        let others = [Some(7), None].map(|node| Pages::allocate(SIZE, node).unwrap());
        assert!(others.iter().all(|other| other.start() != start));
        assert_eq!(Pages::allocate(SIZE, Some(0)).unwrap().start(), start);
    }

    #[test]
    fn allocations_begin_at_different_places_of_a_megabyte() {
        for size in [1 << 20, HUGE, 16 << 20] {
            let all: Vec<Pages> = (0..4).map(|_| Pages::allocate(size, None).unwrap()).collect();
            let mut places: Vec<usize> = all.iter().map(|pages| pages.start().addr() % HUGE).collect();
            places.sort_unstable();
            places.dedup();
            assert!(
                places.len() > 1 && all.iter().all(|pages| pages.mapping.offset + size <= pages.mapping.size)
            );
        }
    }

    /// Returns the sizes in the cache, in megabytes, after freeing mappings in this order; each flag says whether
    /// the size was requested before.
    fn left(mappings: &[(usize, bool)], limit: usize) -> Vec<usize> {
        let mut cache = PageCache::default();
        let mut gone = 0;
        for &(size, is_repeated_size) in mappings {
            let mapping = PageMapping { start: NonNull::dangling(), size: size << 20, offset: 0, node: None };
            let cached = CachedMapping { mapping, since: Instant::now(), is_repeated_size };
            gone += cache.add(cached, limit << 20).iter().map(|mapping| mapping.size).sum::<usize>();
        }
        let sum = |of: &dyn Fn(&&CachedMapping) -> bool| -> usize {
            cache.mappings.iter().filter(of).map(|cached| cached.mapping.size).sum()
        };
        let all: usize = mappings.iter().map(|&(size, _)| size << 20).sum();
        assert_eq!((cache.bytes, cache.new_bytes), (sum(&|_| true), sum(&|cached| !cached.is_repeated_size)));
        assert_eq!(cache.bytes + gone, all);
        cache.mappings.iter().map(|cached| cached.mapping.size >> 20).collect()
    }

    #[test]
    fn little_is_kept_of_sizes_that_are_new() {
        assert_eq!(left(&[(10, false), (11, false), (11, false)], 100), [10, 11, 11]);
        assert_eq!(left(&[(10, false), (11, false), (12, false)], 100), [11, 12]);
        assert_eq!(
            left(&[(10, false), (50, true), (11, false), (12, false), (20, true)], 100),
            [50, 11, 12, 20]
        );
        assert_eq!(left(&[(50, true), (10, false), (50, true)], 100), [10, 50]);
    }

    #[test]
    fn sizes_come_again_or_are_forgotten() {
        let mut requests = SizeHistory::default();
        assert_eq!([5, 6, 5, 6, 7].map(|size| requests.note(size)), [false, false, true, true, false]);
        assert!((0..REMEMBERED).all(|other| !requests.note(100 + other)));
        assert!(!requests.note(5));
    }

    #[test]
    fn fresh_memory_is_filled_once() {
        const SIZE: usize = 700_001;
        let pages = Pages::allocate(SIZE, None).unwrap();
        let start = pages.start();
        let is_fresh = pages.is_fresh;
        let before = pages.mapping.start.addr().get() - 1;
        assert!(!begin_to_fill(before, 10) && !begin_to_fill(start.addr() + 1, 10 * SIZE));
        assert_eq!(begin_to_fill(start.addr() + 5, SIZE - 5), is_fresh);
        assert!(!begin_to_fill(start.addr(), SIZE));
        // SAFETY: the accesses are inside the allocation, which nothing else uses.
        unsafe {
            start.write(3);
            for (at, size) in [(0, SIZE), (1, SIZE - 1), (1, 100), (PAGE, 0), (SIZE, 0)] {
                populate(start.add(at), size);
            }
            assert_eq!((start.read(), start.add(SIZE - 1).read()), (3, 0));
        }
        drop(pages);
        assert!(!begin_to_fill(start.addr(), SIZE));
    }

    #[test]
    fn what_nobody_has_cannot_be_had() {
        assert!(Pages::allocate(isize::MAX as usize - (64 << 20), None).is_none());
    }
}
