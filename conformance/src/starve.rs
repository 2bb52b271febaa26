//! Calls in which allocations fail. With `--starve SEED` and `tests/starve.c` preloaded, allocations of the library
//! under test fail in some of the calls, beginning with one of the first allocations. Such a call may succeed or
//! report a lack of memory. A test may fail, because it expects success, but must not crash or hang.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Type of the function of the preloaded library.
type Starve = unsafe extern "C" fn(usize, usize, c_long) -> c_long;

/// Function of the preloaded library, and the address range of the library under test.
struct Target {
    starve: Starve,
    start: usize,
    end: usize,
}

static TARGET: OnceLock<Target> = OnceLock::new();
static RANDOM: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// Reciprocal of the share of calls in which allocations fail.
// Arbitrary.
const ONE_IN: u64 = 12;

/// Finds the library under test among the loaded ones.
unsafe extern "C" fn find_library(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader passes valid information, and `begin` passes a pointer to two numbers.
    unsafe {
        let info = &*info;
        let name: *const c_char = info.dlpi_name;
        if name.is_null() || !CStr::from_ptr(name).to_bytes().ends_with(b"libgrus.so") {
            return 0;
        }
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let end = loaded.map(|header| header.p_vaddr + header.p_memsz).max().unwrap_or(0) as usize;
        *found.cast::<[usize; 2]>() = [info.dlpi_addr as usize, info.dlpi_addr as usize + end];
    }
    1
}

/// Lets allocations fail in later calls, as determined by the seed. The library must be loaded already.
///
/// # Errors
/// Fails if `tests/starve.c` is not preloaded or the library is not loaded.
pub fn begin(seed: u64) -> Result<(), String> {
    // SAFETY: the call only looks up a symbol.
    let starve = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"starve".as_ptr()) };
    if starve.is_null() {
        return Err("tests/starve.c is not preloaded".into());
    }
    // SAFETY: `tests/starve.c` defines the function of this name with this type.
    let starve = unsafe { std::mem::transmute::<*mut c_void, Starve>(starve) };
    let mut found = [0usize; 2];
    // SAFETY: `find_library` writes two numbers to `found`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(find_library), (&raw mut found).cast()) };
    let [start, end] = found;
    if end == 0 {
        return Err("libgrus.so is not loaded".into());
    }
    RANDOM.store(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, Ordering::Relaxed);
    let _ = TARGET.set(Target { starve, start, end });
    Ok(())
}

/// Checks whether allocations may fail.
pub fn is_on() -> bool {
    TARGET.get().is_some()
}

/// Returns the number of allocations that were refused so far.
pub fn refused() -> usize {
    REFUSED.load(Ordering::Relaxed)
}

/// Returns a random number (xorshift).
fn random() -> u64 {
    let mut x = RANDOM.load(Ordering::Relaxed);
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    RANDOM.store(x, Ordering::Relaxed);
    x
}

/// Makes a call in which allocations may fail.
#[inline]
pub fn call<T>(call: impl FnOnce() -> T) -> T {
    let Some(target) = TARGET.get() else { return call() };
    let random = random();
    if !random.is_multiple_of(ONE_IN) {
        return call();
    }
    // Number of allocations that succeed first. In some calls the first allocation fails, in others a later one.
    let allowed = ((random >> 32) % 4) << ((random >> 40) % 5);
    // SAFETY: the function takes only numbers.
    unsafe { (target.starve)(target.start, target.end, allowed as c_long) };
    let result = call();
    // SAFETY: the function takes only numbers.
    let refused = unsafe { (target.starve)(0, 0, -1) };
    REFUSED.fetch_add(refused as usize, Ordering::Relaxed);
    result
}
