//! Fuzz target that builds arbitrary bytes as a module in SPIR-V.

#![no_main]

use grus_core::compile::{self, Il, SpecValues};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = compile::read_il(bytes) else { return };
    let built = compile::build_il(&Il { module, spec: SpecValues::default() }, "");
    assert!(!built.log.contains("internal compiler error"), "{}", built.log);
});
