//! Any bytes as a program binary. A checksum would stop nearly all of them, so the bytes
//! are tried as they are, as a payload with the right header, and as IR text.

#![no_main]

use grus_core::compile::{self, Code};
use libfuzzer_sys::fuzz_target;

fn check(bytes: &[u8]) {
    match compile::load(bytes) {
        Ok(Code::Executable(artifact)) => {
            for kernel in 0..artifact.kernels.len() {
                // Valid IR that no compiler of ours writes may be refused, with a message.
                let _ = artifact.compiled(kernel);
            }
        }
        Ok(Code::Object(object)) => drop(compile::link(&[object], "")),
        Err(_) => {}
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&compile::seal(bytes));
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(artifact) = compile::build_ir(text)
    {
        for kernel in 0..artifact.kernels.len() {
            let _ = artifact.compiled(kernel);
        }
    }
});
