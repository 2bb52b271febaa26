//! printf (s6.15.14). The output of a launch is collected in one buffer per thread. When the launch ends, and before
//! its event is complete, the buffers are written to the standard output of the process through C's stdio, so that they
//! appear in order with the output of the application. A full buffer is written while the kernel runs: the output of a
//! launch is unlimited.
//!
//! Integers and strings are formatted here. Floating-point numbers are formatted by C's snprintf with a format string
//! that is built here, never with the kernel's own format: a kernel cannot make snprintf read arguments that were not
//! passed.
//!
//! The address of a string may be invalid. Strings are therefore read while no lock is held, since a fault abandons
//! this call. A call allocates memory only if its text is long.

use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crossbeam::utils::CachePadded;
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::guard::guard;
use grus_ir::abi::GroupContext;
use grus_ir::abi::print::{self, Class};

/// Capacity of a buffer in bytes, which CL_DEVICE_PRINTF_BUFFER_SIZE reports.
// Arbitrary.
pub const PRINTF_BUFFER_SIZE: usize = 1 << 20;

/// Maximum width and precision of a conversion; larger ones are reduced to it.
// Arbitrary.
const MAX_WIDTH: usize = 4096;

/// Number of buffers per launch. If there are more threads, threads share buffers.
// Arbitrary.
const BUFFERS: usize = 8;

/// Output of one launch that is not yet written.
#[derive(Debug, Default)]
pub struct PrintfBuffer {
    buffers: [CachePadded<Mutex<Vec<u8>>>; BUFFERS],
    /// True if writing to standard output has failed.
    failed: AtomicBool,
    /// Number of calls since that failure.
    failed_calls: AtomicU64,
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    fn flockfile(file: *mut libc::FILE);
    fn funlockfile(file: *mut libc::FILE);
}

/// Returns the index of the buffer of this thread.
fn buffer() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static BUFFER: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    BUFFER.with(|buffer| {
        if buffer.get() == usize::MAX {
            buffer.set(THREADS.fetch_add(1, Ordering::Relaxed) % BUFFERS);
        }
        buffer.get()
    })
}

impl PrintfBuffer {
    fn add(&self, text: &[u8]) -> i32 {
        let mut collected = self.buffers[buffer()].lock();
        let is_full = collected.len() + text.len() > PRINTF_BUFFER_SIZE;
        if is_full || collected.try_reserve(text.len()).is_err() {
            self.write(&collected);
            collected.clear();
        }
        // The allocation may have failed.
        if collected.try_reserve(text.len()).is_err() {
            self.write(text);
        } else {
            collected.extend_from_slice(text);
        }
        0
    }

    fn write(&self, text: &[u8]) {
        // SAFETY: C's standard output exists as long as the process.
        let written = unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
        if written != text.len() {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Writes all buffers to standard output, holding its lock so that no other output comes in between.
    pub fn flush(&self) {
        // SAFETY: C's standard output exists as long as the process.
        unsafe { flockfile(stdout) };
        for buffer in &self.buffers {
            let text = std::mem::take(&mut *buffer.lock());
            if !text.is_empty() {
                self.write(&text);
            }
        }
        // SAFETY: C's standard output exists, and this thread holds its lock.
        unsafe {
            if libc::fflush(stdout) != 0 {
                self.failed.store(true, Ordering::Relaxed);
            }
            funlockfile(stdout);
        }
        let failed_calls = self.failed_calls.swap(0, Ordering::Relaxed);
        if self.failed.load(Ordering::Relaxed) {
            // A closed stderr is no reason to fail.
            let _ = writeln!(
                std::io::stderr(),
                "grus: standard output takes nothing, calls of printf without effect: {failed_calls} or more"
            );
        }
    }
}

/// Formats a call and appends its text to a buffer. Returns 0, or -1 if the format is invalid or standard output has
/// failed.
///
/// # Safety
/// `context` belongs to a launch that prints, `format` is a NUL-terminated string, and `args` points at `count`
/// arguments, each preceded by its descriptor ([`print::describe`]).
pub unsafe extern "C" fn printf(
    context: &GroupContext,
    format: *const u8,
    args: *const u64,
    count: u64,
) -> i32 {
    // SAFETY: the caller passes a valid context, format and arguments.
    guard("printf", || unsafe { collect(context, format, args, count) })
}

/// Formats a call and appends its text to the buffer of this thread.
///
/// # Safety
/// See [`printf`].
unsafe fn collect(context: &GroupContext, format: *const u8, args: *const u64, count: u64) -> i32 {
    // SAFETY: the executor keeps the buffers until the launch is over.
    let Some(printed) = (unsafe { context.printf_buffer.cast::<PrintfBuffer>().as_ref() }) else { return -1 };
    if printed.failed.load(Ordering::Relaxed) {
        printed.failed_calls.fetch_add(1, Ordering::Relaxed);
        return -1;
    }
    let mut text = Text::new();
    // SAFETY: the caller passes a valid format and arguments.
    let rendered =
        unsafe { render(read_string(format, usize::MAX), Arguments { at: args, count }, &mut text) };
    if rendered.is_none() {
        return -1;
    }
    printed.add(&text)
}

/// Text of a call. It is stored inline up to a length that most calls do not exceed.
type Text = SmallVec<[u8; 512]>;

/// Arguments in memory: a descriptor word for each, followed by one word per vector component.
struct Arguments {
    at: *const u64,
    count: u64,
}

/// Argument of a call.
struct Argument {
    class: Class,
    bits: u32,
    lanes: *const u64,
    count: usize,
}

impl Arguments {
    /// Decodes the next argument.
    ///
    /// # Safety
    /// The words of all arguments can be read.
    unsafe fn next(&mut self) -> Option<Argument> {
        self.count = self.count.checked_sub(1)?;
        // SAFETY: the caller guarantees that the words can be read.
        let (class, bits, count) = print::read(unsafe { self.at.read() });
        let lanes = self.at.wrapping_add(1);
        self.at = lanes.wrapping_add(count.into());
        Some(Argument { class, bits, lanes, count: count.into() })
    }
}

/// Returns a string without its NUL, cut to `max` bytes.
///
/// # Safety
/// `start` is null, or can be read up to its NUL or `max` bytes.
unsafe fn read_string<'a>(start: *const u8, max: usize) -> &'a [u8] {
    if start.is_null() {
        let null = b"(null)";
        return &null[..max.min(null.len())];
    }
    // SAFETY: the caller guarantees that the string can be read.
    unsafe { std::slice::from_raw_parts(start, libc::strnlen(start.cast(), max.min(isize::MAX as usize))) }
}

/// Bits of [`Spec::flags`]: `-`, `+`, space, `#`, `0`.
const LEFT: u8 = 1;
const PLUS: u8 = 2;
const SPACE: u8 = 4;
const ALTERNATE: u8 = 8;
const ZEROS: u8 = 16;
const FLAGS: [(u8, u8); 5] = [(b'-', LEFT), (b'+', PLUS), (b' ', SPACE), (b'#', ALTERNATE), (b'0', ZEROS)];

/// Conversion specification.
#[derive(Clone, Copy, Default)]
struct Spec {
    flags: u8,
    width: usize,
    precision: Option<usize>,
    vector: Option<usize>,
    /// Bits of an integer, if a length modifier says so.
    bits: Option<u32>,
    conversion: u8,
}

/// Appends the text of a call to `out`. Returns `None` if the format is invalid or an argument is missing.
///
/// # Safety
/// All words of the arguments can be read, and strings among them are valid.
unsafe fn render(format: &[u8], mut arguments: Arguments, out: &mut Text) -> Option<()> {
    let mut rest = format;
    while !rest.is_empty() {
        let plain = rest.iter().position(|&byte| byte == b'%').unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        if rest.is_empty() {
            break;
        }
        let spec = parse(&mut rest)?;
        if spec.conversion == b'%' {
            out.push(b'%');
            continue;
        }
        // SAFETY: the caller guarantees that the words can be read.
        let argument = unsafe { arguments.next() }?;
        for lane in 0..spec.vector.unwrap_or(1).min(argument.count) {
            if lane > 0 {
                out.push(b',');
            }
            // SAFETY: the argument has this lane.
            let value = unsafe { argument.lanes.add(lane).read() };
            // SAFETY: the caller guarantees that strings are valid.
            unsafe { element(&spec, &argument, value, out)? };
        }
    }
    Some(())
}

/// Removes the first byte if it equals `byte`. Returns true if so.
fn eat(rest: &mut &[u8], byte: u8) -> bool {
    let found = rest.first() == Some(&byte);
    if found {
        *rest = &rest[1..];
    }
    found
}

/// Parses and removes leading digits. Returns their value, at most [`MAX_WIDTH`]; `None` without a digit.
fn number(rest: &mut &[u8]) -> Option<usize> {
    let mut value = None;
    while let Some(digit) = rest.first().filter(|byte| byte.is_ascii_digit()) {
        value = Some((value.unwrap_or(0) * 10 + usize::from(digit - b'0')).min(MAX_WIDTH));
        *rest = &rest[1..];
    }
    value
}

/// Parses and removes a specification: `%[flags][width][.precision][vN][length]conversion`.
fn parse(rest: &mut &[u8]) -> Option<Spec> {
    let mut spec = Spec::default();
    *rest = &rest[1..];
    while let Some((_, bit)) = rest.first().and_then(|byte| FLAGS.iter().find(|(flag, _)| flag == byte)) {
        spec.flags |= bit;
        *rest = &rest[1..];
    }
    spec.width = number(rest).unwrap_or(0);
    if eat(rest, b'.') {
        spec.precision = Some(number(rest).unwrap_or(0));
    }
    if eat(rest, b'v') {
        spec.vector = Some(number(rest)?);
    }
    spec.bits = match (eat(rest, b'h'), eat(rest, b'h'), eat(rest, b'l'), eat(rest, b'l')) {
        (false, _, false, _) => None,
        (false, _, true, _) => Some(64),
        (true, true, _, _) => Some(8),
        (true, false, true, _) => Some(32),
        (true, false, false, _) => Some(16),
    };
    let (&conversion, after) = rest.split_first()?;
    spec.conversion = conversion;
    *rest = after;
    Some(spec)
}

/// Appends one vector component, or a scalar.
///
/// # Safety
/// If it is the address of a string, the string can be read.
unsafe fn element(spec: &Spec, argument: &Argument, lane: u64, out: &mut Text) -> Option<()> {
    match spec.conversion {
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
            let shift = 64 - spec.bits.unwrap_or(argument.bits.min(32));
            if matches!(spec.conversion, b'd' | b'i') {
                let value = (lane << shift) as i64 >> shift;
                integer(spec, value.unsigned_abs(), sign(spec, value < 0), out);
            } else {
                integer(spec, lane << shift >> shift, b"", out);
            }
        }
        b'c' => padded(spec, &[lane as u8], out),
        b'p' if lane == 0 => padded(spec, b"(nil)", out),
        b'p' => integer(&Spec { flags: spec.flags | ALTERNATE, conversion: b'x', ..*spec }, lane, b"", out),
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = match (argument.class, argument.bits) {
                (Class::Float, 64) => f64::from_bits(lane),
                (Class::Float, 32) => f64::from(f32::from_bits(lane as u32)),
                (Class::Float, _) => f64::from(grus_support::f16::to_f32(lane as u16)),
                _ => return None,
            };
            // A NaN prints as "nan" whatever its sign.
            float(spec, if value.is_nan() { f64::NAN.copysign(1.0) } else { value }, out)?;
        }
        b's' if argument.class == Class::Pointer => {
            // SAFETY: `%s` takes string literals only (s6.15.14), which end in NUL.
            padded(
                spec,
                unsafe { read_string(lane as *const u8, spec.precision.unwrap_or(usize::MAX)) },
                out,
            );
        }
        _ => return None,
    }
    Some(())
}

/// Returns the sign to print before a number.
fn sign(spec: &Spec, is_negative: bool) -> &'static [u8] {
    if is_negative {
        b"-"
    } else if spec.flags & PLUS != 0 {
        b"+"
    } else if spec.flags & SPACE != 0 {
        b" "
    } else {
        b""
    }
}

/// Appends a text, padded with blanks to the width.
fn padded(spec: &Spec, text: &[u8], out: &mut Text) {
    let blanks = spec.width.saturating_sub(text.len());
    let before = if spec.flags & LEFT == 0 { blanks } else { 0 };
    repeat(b' ', before, out);
    out.extend_from_slice(text);
    repeat(b' ', blanks - before, out);
}

fn repeat(byte: u8, count: usize, out: &mut Text) {
    if count > 0 {
        out.resize(out.len() + count, byte);
    }
}

/// Appends an integer (C99 s7.19.6.1).
fn integer(spec: &Spec, value: u64, sign: &[u8], out: &mut Text) {
    // 64 bits have 22 digits in base 8.
    let mut room = [0u8; 22];
    let (digits, mut prefix) = match spec.conversion {
        b'o' => (digits::<8>(value, b'a', &mut room), sign),
        b'x' => (digits::<16>(value, b'a', &mut room), &b"0x"[..]),
        b'X' => (digits::<16>(value, b'A', &mut room), &b"0X"[..]),
        _ => (digits::<10>(value, b'a', &mut room), sign),
    };
    if matches!(spec.conversion, b'x' | b'X') && (spec.flags & ALTERNATE == 0 || value == 0) {
        prefix = b"";
    }
    let mut min_digits = spec.precision.unwrap_or(1);
    if spec.conversion == b'o' && spec.flags & ALTERNATE != 0 {
        min_digits = min_digits.max(digits.len() + 1);
    }
    if spec.precision.is_none() && spec.flags & (ZEROS | LEFT) == ZEROS {
        min_digits = min_digits.max(spec.width.saturating_sub(prefix.len()));
    }
    let zeros = min_digits.saturating_sub(digits.len());
    let blanks = spec.width.saturating_sub(prefix.len() + zeros + digits.len());
    let before = if spec.flags & LEFT == 0 { blanks } else { 0 };
    repeat(b' ', before, out);
    out.extend_from_slice(prefix);
    repeat(b'0', zeros, out);
    out.extend_from_slice(digits);
    repeat(b' ', blanks - before, out);
}

/// Writes the digits of `value` to the end of `room` and returns them; no digit for 0. `ten` is the letter for the
/// digit 10.
fn digits<const BASE: u64>(mut value: u64, ten: u8, room: &mut [u8; 22]) -> &[u8] {
    let mut at = room.len();
    while value != 0 {
        let digit = (value % BASE) as u8;
        value /= BASE;
        at -= 1;
        room[at] = if digit < 10 { b'0' + digit } else { ten + digit - 10 };
    }
    &room[at..]
}

/// Appends a floating-point number, formatted by C's snprintf.
fn float(spec: &Spec, value: f64, out: &mut Text) -> Option<()> {
    // `%`, up to five flags, `*.*`, the conversion and NUL: 11 bytes.
    let mut format = [0u8; 12];
    format[0] = b'%';
    let mut end = 1;
    for (flag, bit) in FLAGS {
        if spec.flags & bit != 0 {
            format[end] = flag;
            end += 1;
        }
    }
    format[end..end + 4].copy_from_slice(&[b'*', b'.', b'*', spec.conversion]);
    let start = out.len();
    let mut room = 64;
    loop {
        out.resize(start + room, 0);
        // To C a negative precision means that there is none.
        let (width, precision) =
            (spec.width as c_int, spec.precision.map_or(-1, |precision| precision as c_int));
        let to = out[start..].as_mut_ptr().cast::<c_char>();
        // SAFETY: the format above takes two integers and a double, and `to` has room for `room` bytes.
        let needed = unsafe { libc::snprintf(to, room, format.as_ptr().cast(), width, precision, value) };
        let needed = usize::try_from(needed).ok()?;
        if needed < room {
            out.truncate(start + needed);
            return Some(());
        }
        room = needed + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Class, Text, print, render};

    /// Returns the words of an argument.
    fn argument(class: Class, bits: u32, lanes: &[u64]) -> Vec<u64> {
        let mut words = vec![print::describe(class, bits, lanes.len() as u8)];
        words.extend(lanes);
        words
    }

    fn int(value: i32) -> Vec<u64> {
        argument(Class::Int, 32, &[u64::from(value as u32)])
    }

    fn shown(format: &str, arguments: &[Vec<u64>]) -> Option<String> {
        let words = arguments.concat();
        let arguments = Arguments { at: words.as_ptr(), count: arguments.len() as u64 };
        let mut text = Text::new();
        // SAFETY: each argument has its descriptor and its components.
        unsafe { render(format.as_bytes(), arguments, &mut text)? };
        Some(String::from_utf8(text.to_vec()).expect("ASCII"))
    }

    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(
            shown("%d|%5d|%-5d|%05d|%x%%", &[int(-1), int(7), int(7), int(7), int(-1)]).as_deref(),
            Some("-1|    7|7    |00007|ffffffff%")
        );
        let float = argument(Class::Float, 64, &[1.5f64.to_bits()]);
        assert_eq!(shown("%8.3f", &[float]).as_deref(), Some("   1.500"));
        let nan = argument(Class::Float, 64, &[(-f64::NAN).to_bits()]);
        assert_eq!(shown("%f", &[nan]).as_deref(), Some("nan"));
        let large = argument(Class::Float, 64, &[1e300f64.to_bits()]);
        assert_eq!(shown("%f", &[large]), Some(format!("{:.6}", 1e300)));
    }

    /// Compares all flags, widths and precisions of integers with C's library.
    #[test]
    fn integers_are_those_of_c() {
        let flags = ["", "-", "+", " ", "#", "0", "-0", "+0", " 0", "#0", "#-", "+ ", "-+ #0"];
        let sizes = ["", "1", "8", ".0", ".", ".1", ".5", "8.0", "8.5", "3.5", "20.12"];
        for conversion in ["d", "i", "u", "o", "x", "X"] {
            for (flags, size) in flags.iter().flat_map(|f| sizes.iter().map(move |s| (f, s))) {
                for value in [0, 1, -1, 42, 1234567, i32::MIN, i32::MAX] {
                    let format = format!("%{flags}{size}{conversion}");
                    let c_format = std::ffi::CString::new(format.as_str()).expect("no NUL");
                    let mut room = [0u8; 64];
                    // SAFETY: there is room, and the format takes one int.
                    unsafe { libc::snprintf(room.as_mut_ptr().cast(), 64, c_format.as_ptr(), value) };
                    let expected = std::ffi::CStr::from_bytes_until_nul(&room).expect("a NUL");
                    let found = shown(&format, &[int(value)]);
                    assert_eq!(found.as_deref(), expected.to_str().ok(), "{format} of {value}");
                }
            }
        }
    }

    #[test]
    fn vectors_are_separated_by_commas() {
        let lanes = [1.0f32, -2.5].map(|f| u64::from(f.to_bits()));
        let vector = argument(Class::Float, 32, &lanes);
        assert_eq!(shown("<%v2hlf>", &[vector]).as_deref(), Some("<1.000000,-2.500000>"));
        let shorts = argument(Class::Int, 16, &[0xffff, 2, 3, 4]);
        assert_eq!(shown("%v4hd", &[shorts]).as_deref(), Some("-1,2,3,4"));
    }

    #[test]
    fn strings_and_characters_are_padded_and_cut() {
        let text =
            |text: &std::ffi::CStr| argument(Class::Pointer, 64, &[text.as_ptr().expose_provenance() as u64]);
        let abc = || text(c"abc");
        assert_eq!(
            shown("%s|%5s|%-5s|%.2s|%5.1s|", &[abc(), abc(), abc(), abc(), abc()]).as_deref(),
            Some("abc|  abc|abc  |ab|    a|")
        );
        let null = argument(Class::Pointer, 64, &[0]);
        assert_eq!(
            shown("%s|%.2s|%p", &[null.clone(), null.clone(), null]).as_deref(),
            Some("(null)|(n|(nil)")
        );
        assert_eq!(shown("%c%3c%-3c|", &[int(97), int(98), int(99)]).as_deref(), Some("a  bc  |"));
        let pointer = || argument(Class::Pointer, 64, &[0xbeef]);
        assert_eq!(shown("%p|%10p", &[pointer(), pointer()]).as_deref(), Some("0xbeef|    0xbeef"));
    }

    #[test]
    fn long_texts_are_not_cut() {
        let wide = shown("%4096d|%.4096d|%99999d", &[int(1), int(2), int(3)]).expect("it is right");
        assert_eq!(wide.len(), 3 * 4096 + 2);
        assert_eq!(wide.trim_start_matches(' ').chars().next(), Some('1'));
        let float = argument(Class::Float, 64, &[0.1f64.to_bits()]);
        assert_eq!(shown("%.1000f", &[float]).map(|text| text.len()), Some(1002));
        assert_eq!(shown(&"x".repeat(10_000), &[]).map(|text| text.len()), Some(10_000));
    }

    #[test]
    fn a_wrong_format_prints_nothing() {
        assert_eq!(shown("%d", &[]), None);
        assert_eq!(shown("%q", &[int(1)]), None);
        assert_eq!(shown("%", &[]), None);
        assert_eq!(shown("%f", &[int(1)]), None);
        assert_eq!(shown("%s", &[int(1)]), None);
        assert_eq!(shown("%vd", &[int(1)]), None);
    }
}
