//! Macros and types for writing tests: calls that must succeed or fail with a specific code, and queries.

use std::ffi::c_void;

use cl_sys::{CL_INVALID_VALUE, CL_SUCCESS, cl_int};

/// Reason why a test did not pass.
#[derive(Debug)]
pub enum Failure {
    /// The implementation lacks the feature under test.
    Skipped(String),
    /// The implementation is wrong.
    Failed(String),
}

/// Result of a test.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Returns a failure at a source location.
pub fn failed<T>(place: &str, text: &str) -> Outcome<T> {
    Err(Failure::Failed(format!("{place}: {text}")))
}

/// Expands to `file:line` of the caller.
#[macro_export]
macro_rules! place {
    () => {
        &format!("{}:{}", file!().rsplit('/').next().unwrap_or(""), line!())
    };
}

/// Makes a call that must return CL_SUCCESS.
#[macro_export]
macro_rules! ok {
    ($call:expr) => {
        $crate::check::code($crate::place!(), stringify!($call), $call, cl_sys::CL_SUCCESS)?
    };
}

/// Makes a call that must return the given error.
#[macro_export]
macro_rules! fails {
    ($code:expr, $call:expr) => {
        $crate::check::code($crate::place!(), stringify!($call), $call, $code)?
    };
}

/// Makes a call that must return an object. The macro adds the argument `errcode_ret`.
#[macro_export]
macro_rules! make {
    ($cx:ident.$name:ident($($arg:expr),* $(,)?)) => {{
        let mut code = 1;
        let made = $cx.$name($($arg,)* &mut code);
        $crate::check::code($crate::place!(), stringify!($name), code, cl_sys::CL_SUCCESS)?;
        $crate::check::truth($crate::place!(), concat!(stringify!($name), " returned NULL"), !made.is_null())?;
        made
    }};
}

/// Makes a call that must return NULL and the given error. The macro adds the argument `errcode_ret`.
#[macro_export]
macro_rules! make_fails {
    ($code:expr, $cx:ident.$name:ident($($arg:expr),* $(,)?)) => {{
        let mut code = 1;
        let made = $cx.$name($($arg,)* &mut code);
        $crate::check::code($crate::place!(), concat!(stringify!($name), stringify!(($($arg),*))), code, $code)?;
        $crate::check::truth($crate::place!(), concat!(stringify!($name), " returned an object"), made.is_null())?;
    }};
}

/// Checks that two values are equal.
#[macro_export]
macro_rules! equal {
    ($left:expr, $right:expr) => {
        $crate::check::same($crate::place!(), stringify!($left), $left, $right)?
    };
}

/// Checks a condition.
#[macro_export]
macro_rules! holds {
    ($condition:expr) => {
        $crate::check::truth($crate::place!(), stringify!($condition), $condition)?
    };
}

/// Makes a query in all ways that the protocol allows and returns the answer: `query!(cx.clGetDeviceInfo(device,
/// NAME))`.
#[macro_export]
macro_rules! query {
    ($cx:ident.$name:ident($($arg:expr),*)) => {
        $crate::check::query($crate::place!(), stringify!($name($($arg),*)), |room, value, size| {
            $cx.$name($($arg,)* room, value, size)
        })?
    };
}

/// Makes a query that must fail with the given error.
#[macro_export]
macro_rules! query_fails {
    ($code:expr, $cx:ident.$name:ident($($arg:expr),*)) => {{
        let mut value = [0u64; 64];
        let pointer = value.as_mut_ptr().cast();
        let mut size = 0usize;
        $crate::fails!($code, $cx.$name($($arg,)* 512, pointer, &mut size));
    }};
}

pub fn code(place: &str, call: &str, code: cl_int, expected: cl_int) -> Outcome {
    if code == expected {
        return Ok(());
    }
    failed(place, &format!("{call} returned {code}, not {expected}"))
}

pub fn truth(place: &str, condition: &str, holds: bool) -> Outcome {
    if holds { Ok(()) } else { failed(place, &format!("not so: {condition}")) }
}

pub fn same<T: PartialEq + std::fmt::Debug>(place: &str, what: &str, found: T, expected: T) -> Outcome {
    if found == expected {
        return Ok(());
    }
    failed(place, &format!("{what} is {}, not {}", short(&found), short(&expected)))
}

/// Formats a value, shortened if it is long.
fn short(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Answer to a query.
pub struct Answer(Vec<u8>);

impl Answer {
    /// Returns the number of bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Returns the answer as one value, or an error if the size does not match.
    pub fn value<T: Copy>(&self) -> Outcome<T> {
        match self.array::<T>()?[..] {
            [value] => Ok(value),
            _ => failed("query", &format!("the answer has {} bytes", self.0.len())),
        }
    }

    /// Returns the answer as an array.
    pub fn array<T: Copy>(&self) -> Outcome<Vec<T>> {
        let size = size_of::<T>();
        if !self.0.len().is_multiple_of(size) {
            return failed("query", &format!("the answer has {} bytes", self.0.len()));
        }
        // SAFETY: `chunk` has the size of a `T`, and queries return only numbers and pointers.
        let read = |chunk: &[u8]| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() };
        Ok(self.0.chunks_exact(size).map(read).collect())
    }

    /// Returns the answer as a string, or an error if its only NUL is not at the end.
    pub fn string(&self) -> Outcome<String> {
        match self.0.split_last() {
            Some((0, text)) if !text.contains(&0) => Ok(String::from_utf8_lossy(text).into_owned()),
            _ => failed("query", &format!("{:?} is not a string", self.0)),
        }
    }
}

/// Returns the answer to a query for a string, asked in one way only. This is for libraries of other vendors, of
/// which only the answer matters.
pub fn text(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Outcome<String> {
    let mut size = 0;
    code("query", "asking for a size", ask(0, std::ptr::null_mut(), &mut size), CL_SUCCESS)?;
    let mut bytes = vec![0u8; size];
    let asked = ask(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut());
    code("query", "asking for a string", asked, CL_SUCCESS)?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
}

/// Queries the size, then the value with more space than needed, then with too little space.
pub fn query(
    place: &str,
    call: &str,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int,
) -> Outcome<Answer> {
    const GUARD: u8 = 0xa5;
    let mut size = usize::MAX;
    code(place, call, ask(0, std::ptr::null_mut(), &mut size), CL_SUCCESS)?;
    truth(place, &format!("{call}: a sensible size ({size})"), size < 1 << 24)?;
    let mut bytes = vec![GUARD; size + 16];
    let mut again = usize::MAX;
    code(place, call, ask(size + 8, bytes.as_mut_ptr().cast(), &mut again), CL_SUCCESS)?;
    same(place, &format!("the size of {call}"), again, size)?;
    truth(place, &format!("{call} writes no more than it says"), bytes[size..].iter().all(|&b| b == GUARD))?;
    let exact = ask(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut());
    code(place, call, exact, CL_SUCCESS)?;
    if size != 0 {
        let mut short = vec![GUARD; size];
        let result = ask(size - 1, short.as_mut_ptr().cast(), std::ptr::null_mut());
        code(place, &format!("{call} with little room"), result, CL_INVALID_VALUE)?;
        truth(place, &format!("{call} with little room writes nothing"), short.iter().all(|&b| b == GUARD))?;
    }
    bytes.truncate(size);
    Ok(Answer(bytes))
}
