//! Calls that get no memory: with `--starve SEED` and `tests/starve.c` preloaded, the allocations of the library under test
//! fail in some of the calls, from one of the first on. A call may then succeed or say that there is no memory; a test may
//! fail, since it expects success; nothing may crash or hang.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What the preloaded library offers.
type Starve = unsafe extern "C" fn(usize, usize, c_long) -> c_long;

/// The function, and where the library under test lies.
struct Target {
    starve: Starve,
    start: usize,
    end: usize,
}

static TARGET: OnceLock<Target> = OnceLock::new();
static RANDOM: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// One call in so many starves.
const ONE_IN: u64 = 12;

/// Looks for the library in a list of what is loaded.
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader passes valid information, and `begin` a place for two numbers.
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

/// From now on calls may starve, decided by this seed. The library must be loaded already.
///
/// # Errors
/// If what must be preloaded is not, or the library is not there.
pub fn begin(seed: u64) -> Result<(), String> {
    // SAFETY: looks a symbol up.
    let starve = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"starve".as_ptr()) };
    if starve.is_null() {
        return Err("tests/starve.c is not preloaded".into());
    }
    // SAFETY: the function of this name has this type.
    let starve = unsafe { std::mem::transmute::<*mut c_void, Starve>(starve) };
    let mut found = [0usize; 2];
    // SAFETY: `look` writes to what is passed.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
    let [start, end] = found;
    if end == 0 {
        return Err("libgrus.so is not loaded".into());
    }
    RANDOM.store(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, Ordering::Relaxed);
    let _ = TARGET.set(Target { starve, start, end });
    Ok(())
}

/// Whether tests run with starving calls.
pub fn is_on() -> bool {
    TARGET.get().is_some()
}

/// How many allocations were refused so far.
pub fn refused() -> usize {
    REFUSED.load(Ordering::Relaxed)
}

/// A number (xorshift).
fn random() -> u64 {
    let mut x = RANDOM.load(Ordering::Relaxed);
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    RANDOM.store(x, Ordering::Relaxed);
    x
}

/// Makes a call, which may starve.
#[inline]
pub fn call<T>(call: impl FnOnce() -> T) -> T {
    let Some(target) = TARGET.get() else { return call() };
    let random = random();
    if !random.is_multiple_of(ONE_IN) {
        return call();
    }
    // Some fail at once, others in the middle of things.
    let succeed = ((random >> 32) % 4) << ((random >> 40) % 5);
    // SAFETY: numbers only.
    unsafe { (target.starve)(target.start, target.end, succeed as c_long) };
    let result = call();
    // SAFETY: as above.
    let refused = unsafe { (target.starve)(0, 0, -1) };
    REFUSED.fetch_add(refused as usize, Ordering::Relaxed);
    result
}
