//! Entry points that record each call (`support::trace`): `entry!` defines `name::traced` beside each function
//! `name`.

use std::ffi::c_void;

use grus_core::cl::*;
use grus_core::runtime::object::ObjectBody;
use grus_core::support::trace;

use crate::arg::{Handle, Handles, In, InStr, Memory, Out, OutArray};

/// Parameter or result of a call, as recordings represent it (`trace::format::CALL`).
pub trait Recorded {
    /// Kind of the value.
    const KIND: char;
    /// Returns the word that is recorded.
    fn word(&self) -> u64;
}

macro_rules! numbers {
    ($($type:ty: $kind:literal, $wide:ty;)*) => {
        $(impl Recorded for $type {
            const KIND: char = $kind;
            fn word(&self) -> u64 {
                <$wide>::from(*self) as u64
            }
        })*
    };
}

numbers! {
    u32: 'u', u64;
    i32: 'i', i64;
    u64: 'u', u64;
}

impl Recorded for usize {
    const KIND: char = 'u';
    fn word(&self) -> u64 {
        *self as u64
    }
}

impl Recorded for () {
    const KIND: char = 'v';
    fn word(&self) -> u64 {
        0
    }
}

macro_rules! addresses {
    ($([$($of:ident: $bound:path)?] $type:ty, |$value:ident| $address:expr;)*) => {
        $(impl $(<$of: $bound>)? Recorded for $type {
            const KIND: char = 'p';
            fn word(&self) -> u64 {
                let $value = self;
                $address as u64
            }
        })*
    };
}

addresses! {
    [] *const c_void, |pointer| pointer.addr();
    [] *mut c_void, |pointer| pointer.addr();
    [] Memory, |memory| memory.address();
    [T: ObjectBody] Handle<T>, |handle| handle.address();
    [T: ObjectBody] Handles<T>, |handles| handles.address();
    [T: Copy] In<T>, |pointer| pointer.address();
    [T: Sized] Out<T>, |pointer| pointer.address();
    [T: Copy] OutArray<T>, |pointer| pointer.address();
}

macro_rules! functions {
    ($($type:ty),*) => {
        $(impl Recorded for Option<$type> {
            const KIND: char = 'p';
            fn word(&self) -> u64 {
                self.map_or(0, |function| function as usize as u64)
            }
        })*
    };
}

// The type of destructors is the same as `ProgramNotify`.
functions! { ContextNotify, EventNotify, NativeKernel, ProgramNotify, SvmFree }

impl Recorded for InStr {
    const KIND: char = 's';
    fn word(&self) -> u64 {
        self.bytes(0).map_or(0, trace::name)
    }
}

/// Defines `traced` in a module with the function's name.
macro_rules! traced {
    ($name:ident($($arg:ident: $type:ty),*) -> $ret:ty) => {
        pub mod $name {
            #[allow(unused_imports, reason = "functions without parameters need none of the types")]
            use super::*;
            use $crate::traced::Recorded;

            static SIGNATURE: grus_core::support::trace::Signature = grus_core::support::trace::Signature {
                function: stringify!($name),
                parameters: &[$(stringify!($arg)),*],
                kinds: &[$(<$type as Recorded>::KIND),*],
                result: <$ret as Recorded>::KIND,
            };

            /// Calls the function and records the call.
            pub extern "C" fn traced($($arg: $type),*) -> $ret {
                let words = [$(Recorded::word(&$arg)),*];
                let begin = grus_core::support::trace::now();
                let result = super::$name($($arg),*);
                grus_core::support::trace::call(&SIGNATURE, begin, Recorded::word(&result), &words);
                result
            }
        }
    };
    // This form also records the error code, which the application may not request.
    (create $name:ident($($arg:ident: $type:ty),*)) => {
        pub mod $name {
            use super::*;
            use $crate::traced::Recorded;

            static SIGNATURE: grus_core::support::trace::Signature = grus_core::support::trace::Signature {
                function: stringify!($name),
                parameters: &[$(stringify!($arg)),*],
                kinds: &[$(<$type as Recorded>::KIND),*],
                result: 'o',
            };

            /// Calls the function and records the call.
            pub extern "C" fn traced(
                $($arg: $type,)*
                errcode_ret: $crate::arg::Out<grus_core::cl::cl_int>,
            ) -> *mut std::ffi::c_void {
                let mut words = [$(Recorded::word(&$arg),)* 0];
                let begin = grus_core::support::trace::now();
                let (result, code) = $crate::arg::Out::code_of(|out| super::$name($($arg,)* out));
                errcode_ret.set(code);
                if let Some(last) = words.last_mut() {
                    *last = Recorded::word(&code);
                }
                grus_core::support::trace::call(&SIGNATURE, begin, Recorded::word(&result), &words);
                result
            }
        }
    };
}
pub(crate) use traced;
