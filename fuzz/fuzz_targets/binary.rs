//! Fuzz target that loads arbitrary bytes as a program binary. The checksum would reject nearly all inputs, so the
//! bytes are tried in three ways: unchanged, as the payload of a binary with a valid header, and as IR text.

#![no_main]

use grus_core::compile::{self, BuildOutput};
use libfuzzer_sys::fuzz_target;

fn check(bytes: &[u8]) {
    match compile::load(bytes) {
        Ok(BuildOutput::Executable(artifact)) => {
            for kernel in 0..artifact.kernels.len() {
                // The compiler may refuse valid IR that its own front end never produces, with a message.
                let _ = artifact.compiled(kernel);
            }
        }
        Ok(BuildOutput::Object(object)) => drop(compile::link(&[object], "")),
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
