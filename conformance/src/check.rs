//! What tests are written with: a call that must succeed or fail with a certain code, and queries.

use std::ffi::c_void;

use cl_sys::{CL_INVALID_VALUE, CL_SUCCESS, cl_int};

/// Why a test did not pass.
#[derive(Debug)]
pub enum Failure {
    /// The implementation does not have what is tested.
    Skipped(String),
    /// It is wrong.
    Failed(String),
}

/// How a test ends.
pub type Outcome<T = ()> = Result<T, Failure>;

/// A failure at a place of the source.
pub fn failed<T>(place: &str, text: &str) -> Outcome<T> {
    Err(Failure::Failed(format!("{place}: {text}")))
}

/// `file:line` of the caller.
#[macro_export]
macro_rules! place {
    () => {
        &format!("{}:{}", file!().rsplit('/').next().unwrap_or(""), line!())
    };
}

/// A call that must return CL_SUCCESS.
#[macro_export]
macro_rules! ok {
    ($call:expr) => {
        $crate::check::code($crate::place!(), stringify!($call), $call, cl_sys::CL_SUCCESS)?
    };
}

/// A call that must return this error.
#[macro_export]
macro_rules! fails {
    ($code:expr, $call:expr) => {
        $crate::check::code($crate::place!(), stringify!($call), $call, $code)?
    };
}

/// A call that must return an object; `errcode_ret` is added.
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

/// A call that must return NULL and this error; `errcode_ret` is added.
#[macro_export]
macro_rules! make_fails {
    ($code:expr, $cx:ident.$name:ident($($arg:expr),* $(,)?)) => {{
        let mut code = 1;
        let made = $cx.$name($($arg,)* &mut code);
        $crate::check::code($crate::place!(), concat!(stringify!($name), stringify!(($($arg),*))), code, $code)?;
        $crate::check::truth($crate::place!(), concat!(stringify!($name), " returned an object"), made.is_null())?;
    }};
}

/// Two values that must be equal.
#[macro_export]
macro_rules! equal {
    ($left:expr, $right:expr) => {
        $crate::check::same($crate::place!(), stringify!($left), $left, $right)?
    };
}

/// Something that must hold.
#[macro_export]
macro_rules! holds {
    ($condition:expr) => {
        $crate::check::truth($crate::place!(), stringify!($condition), $condition)?
    };
}

/// The answer to a query, asked for in all ways the protocol allows: `query!(cx.clGetDeviceInfo(device, NAME))`.
#[macro_export]
macro_rules! query {
    ($cx:ident.$name:ident($($arg:expr),*)) => {
        $crate::check::query($crate::place!(), stringify!($name($($arg),*)), |room, value, size| {
            $cx.$name($($arg,)* room, value, size)
        })?
    };
}

/// A query that must end with this error.
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

/// A value as text, its beginning if it is long.
fn short(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// What a query answered.
pub struct Answer(Vec<u8>);

impl Answer {
    /// The number of bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// One value; an error if the size is another one.
    pub fn value<T: Copy>(&self) -> Outcome<T> {
        match self.array::<T>()?[..] {
            [value] => Ok(value),
            _ => failed("query", &format!("the answer has {} bytes", self.0.len())),
        }
    }

    /// An array.
    pub fn array<T: Copy>(&self) -> Outcome<Vec<T>> {
        let size = size_of::<T>();
        if !self.0.len().is_multiple_of(size) {
            return failed("query", &format!("the answer has {} bytes", self.0.len()));
        }
        // SAFETY: `chunk` has the size of a `T`, which queries fill with numbers and pointers only.
        let read = |chunk: &[u8]| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() };
        Ok(self.0.chunks_exact(size).map(read).collect())
    }

    /// A string; an error if it does not end with its only NUL.
    pub fn string(&self) -> Outcome<String> {
        match self.0.split_last() {
            Some((0, text)) if !text.contains(&0) => Ok(String::from_utf8_lossy(text).into_owned()),
            _ => failed("query", &format!("{:?} is not a string", self.0)),
        }
    }
}

/// A string, asked for in one way only: what other vendors' libraries are asked, of which only the answer matters.
pub fn text(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Outcome<String> {
    let mut size = 0;
    code("query", "asking for a size", ask(0, std::ptr::null_mut(), &mut size), CL_SUCCESS)?;
    let mut bytes = vec![0u8; size];
    let asked = ask(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut());
    code("query", "asking for a string", asked, CL_SUCCESS)?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
}

/// Asks for the size, for the value with room to spare, and with too little room.
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
