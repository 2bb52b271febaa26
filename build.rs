//! Fingerprint of the sources, which is part of the version of program binaries.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    fingerprint(&PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")));
}

/// Writes a number that changes with the sources, so that binaries and caches of another build count as another
/// version's. FNV-1a over names and contents.
fn fingerprint(root: &Path) {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=kernels");
    let mut paths = Vec::new();
    for dir in ["src", "kernels"] {
        every_file(&root.join(dir), &mut paths);
    }
    paths.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for path in &paths {
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        let contents = fs::read(path).expect("a readable source");
        for byte in name.bytes().chain(contents) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=GRUS_FINGERPRINT={:08x}", (hash ^ (hash >> 32)) as u32);
}

fn every_file(dir: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { every_file(&path, paths) } else { paths.push(path) }
    }
}
