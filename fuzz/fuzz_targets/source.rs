//! Fuzz target that builds arbitrary bytes as options and source. A build must end with a log or with an artifact
//! for which machine code can be generated. The first line is the options string if it begins with `-`.

#![no_main]

use grus_core::compile::{self, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (options, text) = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with('-') => (first, rest),
        _ => ("-cl-std=CL2.0", &*text),
    };
    let source = Source { name: "fuzz.cl".into(), text: text.into() };
    let built = compile::build(&source, &[], options);
    assert!(!built.log.contains("internal compiler error"), "{}", built.log);
    let Ok(artifact) = built.result else {
        assert!(built.log.contains("error"), "no error in the log: {:?}", built.log);
        return;
    };
    for kernel in 0..artifact.kernels.len() {
        artifact.compiled(kernel).expect("what was built has machine code");
    }
    let saved = compile::save(&artifact);
    compile::load(&saved).expect("what was saved can be loaded");
});
