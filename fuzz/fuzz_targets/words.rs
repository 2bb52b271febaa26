//! Fuzz target that damages good modules in SPIR-V and builds them. The first bytes select the damage, the rest is a
//! module, such as those in `tests/spirv/run`.

#![no_main]

#[path = "../../tests/spirv/mutate.rs"]
mod mutate;

use grus_core::compile::{self, Il, SpecValues};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((seed, bytes)) = bytes.split_first_chunk::<4>() else { return };
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    if words.len() < 6 {
        return;
    }
    mutate::mutate(&mut words, &mut mutate::Random::new(u32::from_le_bytes(*seed).into()));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let Ok(module) = compile::read_il(&bytes) else { return };
    let built = compile::build_il(&Il { module, spec: SpecValues::default() }, "");
    assert!(!built.log.contains("internal compiler error"), "{}", built.log);
});
