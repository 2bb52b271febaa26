//! Damaged modules: whatever a module says, reading and building it end with a program or a message.

#[path = "../spirv/mutate.rs"]
mod mutate;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use grus_core::compile::{self, Il, SpecValues};
use mutate::{Random, mutate};

/// Number of damaged modules that are made of each good one; the variable `GRUS_MUTATIONS` gives another one.
// Chosen so that the test takes some 20 s.
const VARIANTS: u64 = 200;

/// Returns the modules of the repository: those compiled from fixtures, and those that are text.
fn modules() -> Vec<(PathBuf, Vec<u32>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spirv");
    let (mut waiting, mut found) = (vec![folder], Vec::new());
    while let Some(folder) = waiting.pop() {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths {
            let bytes = match path.extension().and_then(|extension| extension.to_str()) {
                None if path.is_dir() => {
                    waiting.push(path);
                    continue;
                }
                Some("spv") => std::fs::read(&path).ok(),
                Some("spvasm") => {
                    std::fs::read_to_string(&path).ok().and_then(|text| grus_assembler::assemble(&text).ok())
                }
                _ => None,
            };
            let words = |bytes: Vec<u8>| {
                bytes
                    .chunks_exact(4)
                    .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
                    .collect()
            };
            found.extend(bytes.map(|bytes| (path, words(bytes))));
        }
    }
    found
}

/// Beginnings of the messages that damaged modules may have.
const EXPECTED: [&str; 5] =
    ["error: word ", "error: undefined reference ", "error: recursion ", "error: a variable ", "error: '"];

/// Text within the message about a kernel that cannot have the sub-groups that it requires.
const NO_SUB_GROUPS: &str = ": no sub-groups of ";

/// Maximum number of modules that are reported, each of which is kept in the folder for temporary files.
const MAX_REPORTED: usize = 20;

/// Builds a module. Its log may say anything but that the compiler has a bug; then returns the log.
fn build(bytes: &[u8]) -> Option<String> {
    let module = compile::read_il(bytes).ok()?;
    let il = Il { module: Arc::clone(&module), spec: SpecValues::default() };
    let built = compile::build_il(&il, "");
    // Messages of the verifier of the IR, and panics: what the rules let through must translate.
    let is_bug = built.log.contains("internal compiler error")
        || built.result.is_err()
            && !built.log.lines().any(|line| {
                line.contains(NO_SUB_GROUPS) || EXPECTED.iter().any(|start| line.starts_with(start))
            });
    is_bug.then_some(built.log)
}

#[test]
fn damaged_modules_end_with_a_program_or_a_message() {
    let all = modules();
    assert!(all.len() > 400, "the repository has modules");
    let variants =
        std::env::var("GRUS_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(VARIANTS);
    let mut bugs = Vec::new();
    for (index, (path, words)) in all.iter().enumerate() {
        for variant in 0..variants {
            let seed = index as u64 * variants + variant;
            let mut words = words.clone();
            mutate(&mut words, &mut Random::new(seed));
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let Some(log) = build(&bytes) else { continue };
            let file = std::env::temp_dir().join(format!("damaged-{}.spv", bugs.len()));
            let kept =
                std::fs::write(&file, &bytes).map_or_else(|e| e.to_string(), |()| file.display().to_string());
            bugs.push(format!("{}, seed {seed} ({kept}): {log}", path.display()));
            assert!(bugs.len() < MAX_REPORTED, "{}", bugs.join("\n"));
        }
    }
    assert!(bugs.is_empty(), "{}", bugs.join("\n"));
}
