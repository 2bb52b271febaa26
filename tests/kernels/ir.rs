//! Fixtures in IR: what the text prints back as, and what its kernels compute.

use std::fs;
use std::path::PathBuf;

use grus_core::compile::build_ir;
use grus_core::ir::{parse_module, verify_module};

fn fixtures() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/ir");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder is there").map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "ir"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

fn check(text: &str) -> Result<(), String> {
    let module = parse_module(text).map_err(|e| format!("line {}: {}", e.line, e.message))?;
    verify_module(&module)?;
    let printed = module.to_string();
    let again = parse_module(&printed).map_err(|e| format!("printed line {}: {}", e.line, e.message))?;
    if again.to_string() != printed {
        return Err("does not print back as it was read".into());
    }
    let fixture = crate::harness::directive::parse(text, ";")?;
    if fixture.runs.is_empty() {
        return Err("runs nothing".into());
    }
    crate::harness::check(&fixture, &module, &build_ir(text)?)
}

#[test]
fn ir_fixtures() {
    let mut failed = Vec::new();
    for path in fixtures() {
        let text = fs::read_to_string(&path).expect("readable");
        if let Err(message) = check(&text) {
            failed.push(format!("{}: {message}", path.display()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
