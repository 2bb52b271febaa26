//! printf (s6.15.14). What a launch prints is collected and written to the process's
//! standard output when it ends, before its event is complete, through C's stdio, so that
//! it stands in order with what the application prints.
//!
//! Each conversion is formatted by C's snprintf with a specification that is put
//! together here, never with the kernel's own text: a kernel cannot make it read what
//! is not there.

use std::ffi::CString;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::ir::abi::GroupContext;
use crate::ir::abi::print::{self, Class};

/// CL_DEVICE_PRINTF_BUFFER_SIZE: what a launch may print; calls beyond return -1.
pub const PRINTF_BUFFER_SIZE: usize = 1 << 20;

/// Width and precision are cut to this.
const WIDEST: usize = 4096;

/// What one launch has printed.
#[derive(Debug, Default)]
pub struct Printed {
    text: Mutex<Vec<u8>>,
    /// Calls whose text did not fit.
    lost: AtomicU64,
}

impl Printed {
    fn add(&self, text: &[u8]) -> i32 {
        let mut collected = self.text.lock();
        if collected.len() + text.len() > PRINTF_BUFFER_SIZE {
            self.lost.fetch_add(1, Ordering::Relaxed);
            return -1;
        }
        collected.extend(text);
        0
    }

    /// Writes what was collected to standard output; what did not fit is told on stderr.
    pub fn flush(&self) {
        unsafe extern "C" {
            static stdout: *mut libc::FILE;
        }
        let text = std::mem::take(&mut *self.text.lock());
        if !text.is_empty() {
            // SAFETY: C's standard output exists as long as the process.
            unsafe {
                libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
                libc::fflush(stdout);
            }
        }
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            let limit = PRINTF_BUFFER_SIZE >> 20;
            // A closed stderr is no reason to fail.
            let _ = writeln!(
                std::io::stderr(),
                "grus: a launch printed more than {limit} MiB, calls of printf without effect: {lost}"
            );
        }
    }
}

/// Formats and collects. Returns 0, or -1 when the launch's buffer is full or the format wrong.
///
/// # Safety
/// `context` is that of a launch that prints, `format` a NUL-terminated string, `args` holds
/// `count` described arguments.
pub unsafe extern "C" fn printf(
    context: &GroupContext,
    format: *const u8,
    args: *const u64,
    count: u64,
) -> i32 {
    // SAFETY: as this function's contract says.
    let (format, arguments) = unsafe { (read_string(format), read_arguments(args, count)) };
    let Some(text) = render(&format, &arguments) else { return -1 };
    // SAFETY: the executor keeps the buffer until the launch is over.
    let printed = unsafe { context.printed.cast::<Printed>().as_ref() };
    printed.map_or(-1, |printed| printed.add(&text))
}

/// An argument as it came.
struct Argument {
    class: Class,
    bits: u32,
    lanes: Vec<u64>,
}

unsafe fn read_string(start: *const u8) -> Vec<u8> {
    if start.is_null() {
        return b"(null)".to_vec();
    }
    // SAFETY: the caller vouches for the string.
    unsafe { std::ffi::CStr::from_ptr(start.cast()) }.to_bytes().to_vec()
}

unsafe fn read_arguments(args: *const u64, count: u64) -> Vec<Argument> {
    let mut at = args;
    let mut word = || {
        // SAFETY: the caller vouches for the words that the descriptions announce.
        let value = unsafe { at.read() };
        at = at.wrapping_add(1);
        value
    };
    let mut read = |_| {
        let (class, bits, lanes) = print::read(word());
        Argument { class, bits, lanes: (0..lanes).map(|_| word()).collect() }
    };
    (0..count).map(&mut read).collect()
}

/// A conversion specification.
#[derive(Default)]
struct Spec {
    flags: String,
    width: String,
    precision: Option<String>,
    vector: Option<usize>,
    length: String,
    conversion: u8,
}

/// The whole text; none if the format is wrong or lacks an argument.
fn render(format: &[u8], arguments: &[Argument]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut arguments = arguments.iter();
    let mut at = 0;
    while at < format.len() {
        if format[at] != b'%' {
            out.push(format[at]);
            at += 1;
            continue;
        }
        let spec = parse(format, &mut at)?;
        if spec.conversion == b'%' {
            out.push(b'%');
            continue;
        }
        let argument = arguments.next()?;
        let lanes = spec.vector.unwrap_or(1).min(argument.lanes.len());
        for (i, &lane) in argument.lanes[..lanes].iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            element(&spec, argument, lane, &mut out)?;
        }
    }
    Some(out)
}

/// `%[flags][width][.precision][vN][length]conversion`; leaves `at` behind it.
fn parse(format: &[u8], at: &mut usize) -> Option<Spec> {
    let mut spec = Spec::default();
    *at += 1;
    let mut take = |accept: &dyn Fn(u8) -> bool| -> String {
        let start = *at;
        while format.get(*at).is_some_and(|&c| accept(c)) {
            *at += 1;
        }
        String::from_utf8_lossy(&format[start..*at]).into_owned()
    };
    spec.flags = take(&|c| b"-+ #0".contains(&c));
    spec.width = take(&|c: u8| c.is_ascii_digit());
    if !take(&|c| c == b'.').is_empty() {
        spec.precision = Some(take(&|c: u8| c.is_ascii_digit()));
    }
    if !take(&|c| c == b'v').is_empty() {
        spec.vector = Some(take(&|c: u8| c.is_ascii_digit()).parse().ok()?);
    }
    spec.length = take(&|c| b"hl".contains(&c));
    spec.conversion = *format.get(*at)?;
    *at += 1;
    Some(spec)
}

/// One lane.
fn element(spec: &Spec, argument: &Argument, lane: u64, out: &mut Vec<u8>) -> Option<()> {
    let conversion = char::from(spec.conversion);
    match spec.conversion {
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
            let bits = match spec.length.as_str() {
                "hh" => 8,
                "h" => 16,
                "hl" => 32,
                "l" => 64,
                _ => argument.bits.min(32),
            };
            let shift = 64 - bits;
            let signed = matches!(spec.conversion, b'd' | b'i');
            let value =
                if signed { ((lane << shift) as i64 >> shift) as u64 } else { lane << shift >> shift };
            c_format(spec, &format!("ll{conversion}"), Value::Word(value), out)
        }
        b'c' => c_format(spec, "c", Value::Word(lane & 0xff), out),
        b'p' => c_format(spec, "p", Value::Word(lane), out),
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = match (argument.class, argument.bits) {
                (Class::Float, 64) => f64::from_bits(lane),
                (Class::Float, 32) => f64::from(f32::from_bits(lane as u32)),
                (Class::Float, _) => f64::from(crate::support::f16::to_f32(lane as u16)),
                _ => return None,
            };
            // "nan", whatever its sign.
            let value = if value.is_nan() { f64::NAN.copysign(1.0) } else { value };
            c_format(spec, &conversion.to_string(), Value::Double(value), out)
        }
        b's' => {
            if argument.class != Class::Pointer {
                return None;
            }
            // SAFETY: `%s` takes string literals only (s6.15.14), which end in NUL.
            let text = unsafe { read_string(lane as *const u8) };
            c_format(spec, "s", Value::Text(&text), out)
        }
        _ => None,
    }
}

enum Value<'a> {
    Word(u64),
    Double(f64),
    Text(&'a [u8]),
}

/// Lets C format one value.
fn c_format(spec: &Spec, tail: &str, value: Value<'_>, out: &mut Vec<u8>) -> Option<()> {
    let cut = |digits: &str| digits.parse::<usize>().unwrap_or(0).min(WIDEST);
    let mut format = format!("%{}", spec.flags);
    if !spec.width.is_empty() {
        format += &cut(&spec.width).to_string();
    }
    if let Some(precision) = &spec.precision {
        format += &format!(".{}", cut(precision));
    }
    format += tail;
    let format = CString::new(format).ok()?;
    let value = match value {
        Value::Text(text) => CText::Text(CString::new(text).ok()?),
        Value::Word(word) => CText::Word(word),
        Value::Double(double) => CText::Double(double),
    };
    let mut short = [0u8; 256];
    let needed = print_into(&mut short, &format, &value)?;
    if needed < short.len() {
        out.extend(&short[..needed]);
        return Some(());
    }
    let mut long = vec![0u8; needed + 1];
    print_into(&mut long, &format, &value)?;
    out.extend(&long[..needed]);
    Some(())
}

/// A value as C takes it.
enum CText {
    Word(u64),
    Double(f64),
    Text(CString),
}

/// Length of the text; written as far as there is room.
fn print_into(buffer: &mut [u8], format: &CString, value: &CText) -> Option<usize> {
    let (start, room) = (buffer.as_mut_ptr().cast(), buffer.len());
    // SAFETY: the format was put together by `c_format`, with one conversion that takes this value.
    let written = unsafe {
        match value {
            CText::Word(word) => libc::snprintf(start, room, format.as_ptr(), *word),
            CText::Double(double) => libc::snprintf(start, room, format.as_ptr(), *double),
            CText::Text(text) => libc::snprintf(start, room, format.as_ptr(), text.as_ptr()),
        }
    };
    usize::try_from(written).ok()
}

#[cfg(test)]
mod tests {
    use super::{Argument, Class, render};

    fn int(value: i32) -> Argument {
        Argument { class: Class::Int, bits: 32, lanes: vec![u64::from(value as u32)] }
    }

    fn shown(format: &str, arguments: &[Argument]) -> Option<String> {
        render(format.as_bytes(), arguments).map(|text| String::from_utf8(text).expect("ASCII"))
    }

    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(
            shown("%d|%5d|%-5d|%05d|%x%%", &[int(-1), int(7), int(7), int(7), int(-1)]).as_deref(),
            Some("-1|    7|7    |00007|ffffffff%")
        );
        let float = Argument { class: Class::Float, bits: 64, lanes: vec![1.5f64.to_bits()] };
        assert_eq!(shown("%8.3f", &[float]).as_deref(), Some("   1.500"));
        let nan = Argument { class: Class::Float, bits: 64, lanes: vec![(-f64::NAN).to_bits()] };
        assert_eq!(shown("%f", &[nan]).as_deref(), Some("nan"));
    }

    #[test]
    fn vectors_are_separated_by_commas() {
        let lanes = [1.0f32, -2.5].map(|f| u64::from(f.to_bits())).to_vec();
        let vector = Argument { class: Class::Float, bits: 32, lanes };
        assert_eq!(shown("<%v2hlf>", &[vector]).as_deref(), Some("<1.000000,-2.500000>"));
        let shorts = Argument { class: Class::Int, bits: 16, lanes: vec![0xffff, 2, 3, 4] };
        assert_eq!(shown("%v4hd", &[shorts]).as_deref(), Some("-1,2,3,4"));
    }

    #[test]
    fn a_wrong_format_prints_nothing() {
        assert_eq!(shown("%d", &[]), None);
        assert_eq!(shown("%q", &[int(1)]), None);
        assert_eq!(shown("%", &[]), None);
        assert_eq!(shown("%f", &[int(1)]), None);
    }
}
