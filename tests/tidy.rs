//! Checks rules of this repository that no compiler checks: dependencies between layers, the length of files and
//! functions, formatting.

mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of `src/`, each with the layers that it may use. Cargo keeps most of the rules between crates; this table has
/// those between modules of a crate as well.
const LAYERS: &[(&str, &[&str])] = &[
    ("support", &[]),
    ("cl", &[]),
    ("diag", &["support"]),
    ("image", &["support"]),
    ("ir", &["image", "diag", "support"]),
    ("clc", &["diag", "support"]),
    ("spirv", &["ir", "image", "diag", "support"]),
    ("rtlib", &["support", "ir", "image"]),
    ("lower", &["clc", "ir", "diag", "support"]),
    ("passes", &["ir", "image", "support"]),
    ("codegen", &["ir", "rtlib", "support"]),
    ("jit", &["codegen", "rtlib", "ir", "support"]),
    ("exec", &["jit", "rtlib", "ir", "support"]),
    (
        "compile",
        &["clc", "spirv", "lower", "passes", "codegen", "jit", "exec", "ir", "image", "diag", "support"],
    ),
    ("runtime", &["cl", "compile", "exec", "image", "support"]),
];

/// Crates that are folders of `src/`. All other folders are modules of the package `grus`.
const CRATES: &[&str] = &["support", "ir", "clc", "spirv", "passes", "codegen", "exec"];

/// Layers that are modules of a crate, with their folders.
const MODULES: &[(&str, &str)] =
    &[("diag", "support"), ("image", "ir"), ("rtlib", "codegen"), ("jit", "codegen")];

/// Returns the layer of a file of `src/`, and its crate, or `None` for files of no layer.
fn layer_of(name: &str) -> Option<(&str, &str)> {
    let mut path = name.strip_prefix("src/")?.split(['/', '.']);
    let folder = path.next()?;
    if folder == "lib" {
        return None;
    }
    if !CRATES.contains(&folder) {
        return Some((folder, "grus"));
    }
    let module = path.next()?;
    let layer = if MODULES.contains(&(module, folder)) { module } else { folder };
    (module != "build").then_some((layer, folder))
}

/// Maximum number of lines of a file, unless a line `//! Long because` at its top gives a reason.
// Arbitrary.
const LONGEST_FILE: usize = 800;

/// Maximum number of lines of a function. Arms of matches are not counted.
// Arbitrary.
const LONGEST_FUNCTION: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_owned()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).map(|d| d.flatten().map(|e| e.path()).collect()).unwrap_or_default();
    entries.sort();
    for path in entries {
        if path.is_dir() && path.file_name().is_some_and(|n| n != "target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn all_files() -> Vec<(String, String)> {
    let mut paths = vec![root().join("build.rs")];
    for folder in ["src", "icd", "conformance", "bench", "smith", "model", "tools", "xtask", "tests", "fuzz"]
    {
        let before = paths.len();
        rust_files(&root().join(folder), &mut paths);
        assert!(paths.len() > before, "no sources in `{folder}`");
    }
    let named = |p: &PathBuf| p.strip_prefix(root()).expect("below the root").display().to_string();
    paths.iter().map(|p| (named(p), fs::read_to_string(p).expect("readable"))).collect()
}

fn report(mut complaints: Vec<String>) {
    complaints.sort();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Returns the layers that a file of the crate `own` names, with line numbers. It finds `crate::a`, `grus_b::a`,
/// `crate::{a, b::{c, d}}`, and paths with as many `super::` as lead to the crate's root.
fn layers_named(name: &str, own: &str, text: &str) -> Vec<(usize, String)> {
    let folders = name.matches('/').count() - usize::from(name.ends_with("/mod.rs"));
    let to_root = "super::".repeat(folders - usize::from(own != "grus"));
    let prefixes = CRATES.iter().map(|of| (format!("grus_{of}::"), *of));
    // A `super` may lead to a module within the file as well, so only names of modules count after it.
    let prefixes = prefixes.chain([("crate::".to_owned(), own), (to_root, "grus")]);
    let mut found = Vec::new();
    for (prefix, of) in prefixes {
        if prefix.is_empty() {
            continue;
        }
        for (at, _) in text.match_indices(&prefix) {
            let line = text[..at].matches('\n').count() + 1;
            let path = &text[at + prefix.len()..];
            let names = path.strip_prefix('{').map_or_else(|| vec![first_name(path)], first_level);
            // What is no layer of its own belongs to the crate's.
            let layer = |name: String| {
                let is_layer = of == "grus" || MODULES.contains(&(name.as_str(), of));
                if is_layer { name } else { of.to_owned() }
            };
            found.extend(names.into_iter().map(|name| (line, layer(name))));
        }
    }
    found
}

fn first_name(path: &str) -> String {
    path.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Returns the first segment of each path in a braced list. The text begins after the opening brace.
fn first_level(list: &str) -> Vec<String> {
    let mut names = vec![first_name(list)];
    let mut depth = 1;
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => break,
            '}' => depth -= 1,
            ',' if depth == 1 => names.push(first_name(&list[at + 1..])),
            _ => {}
        }
    }
    names
}

#[test]
fn every_way_to_name_a_layer_is_seen() {
    let named = |name, own, text| {
        let named = layers_named(name, own, text).into_iter();
        named.map(|(line, layer)| format!("{line} {layer}")).collect::<Vec<_>>().join(", ")
    };
    let text = "use crate::{\n    lower::{A, B},\n    cl,\n};\nuse super::super::{runtime, compile};\nfn f(x: grus_ir::image::T) {}\n";
    assert_eq!(
        named("src/runtime/queue/mod.rs", "grus", text),
        "6 image, 1 lower, 1 cl, 1 , 5 runtime, 5 compile"
    );
    let text = "use crate::{jit, abi};\nuse super::super::rtlib;\nuse grus_support::{diag, id};\n";
    assert_eq!(
        named("src/codegen/x64/isel/mod.rs", "codegen", text),
        "3 diag, 3 support, 1 jit, 1 codegen, 2 rtlib"
    );
}

#[test]
fn layers_use_only_what_is_below_them() {
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    let mut complaints = Vec::new();
    for (name, text) in all_files() {
        let Some((layer, own)) = layer_of(&name) else { continue };
        let Some(may) = allowed.get(layer) else {
            complaints.push(format!("{name}: layer `{layer}` is not in the table"));
            continue;
        };
        for (line, used) in layers_named(&name, own, &text) {
            let is_layer = allowed.contains_key(used.as_str());
            if is_layer && used != layer && !may.contains(&used.as_str()) {
                complaints.push(format!("{name}:{line}: `{layer}` may not use `{used}`"));
            }
        }
    }
    for layer in allowed.keys() {
        let parent = MODULES.iter().find(|(module, _)| module == layer).map_or("", |(_, folder)| folder);
        let path = root().join("src").join(parent).join(layer);
        assert!(path.is_dir(), "the layer `{layer}` is gone");
    }
    report(complaints);
}

/// Checks that only `cl`, `runtime` and `icd` use constants of the API (`CL_…`). Constants that kernels use as well
/// are declared by the layers below, after the OpenCL C specification.
#[test]
fn nothing_below_the_runtime_knows_numbers_of_the_api() {
    let mut complaints = Vec::new();
    for (name, text) in all_files() {
        let Some(rest) = name.strip_prefix("src/") else { continue };
        let layer = rest.split(['/', '.']).next().unwrap_or_default();
        if matches!(layer, "cl" | "runtime" | "lib") {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let is_literal = |at: usize| code[..at].matches('"').count() % 2 == 1;
            if code
                .match_indices("CL_")
                .any(|(at, _)| !is_literal(at) && !code[..at].ends_with(char::is_alphanumeric))
            {
                complaints.push(format!("{name}:{}: a number of the API", number + 1));
            }
        }
    }
    report(complaints);
}

/// Checks that the tool, the benchmarks and the conformance tests use the C API only, as applications do.
#[test]
fn clients_know_the_c_api_only() {
    let is_client = |name: &str| ["tools/", "bench/", "conformance/src/"].iter().any(|f| name.starts_with(f));
    let named = all_files().into_iter().filter(|(name, text)| is_client(name) && text.contains("grus_core"));
    report(named.map(|(name, _)| format!("{name}: names the library's own crate")).collect());
}

/// Checks that no global is initialized under a lock (`support::fork`). If a process forks while another thread
/// initializes such a global, the child waits for ever.
#[test]
fn globals_are_made_without_a_lock() {
    let mut complaints = Vec::new();
    for (name, text) in all_files() {
        let of_library = name.starts_with("src/") || name.starts_with("icd/src/");
        for (number, line) in text.lines().enumerate().filter(|_| of_library) {
            let locks = ["OnceLock<", "LazyLock<", "Once "].iter().any(|lock| line.contains(lock));
            if locks && line.trim_start().trim_start_matches("pub ").starts_with("static ") {
                complaints.push(format!("{name}:{}: use `Global`", number + 1));
            }
        }
    }
    report(complaints);
}

#[test]
fn files_are_short_and_say_why() {
    let mut complaints = Vec::new();
    for (name, text) in all_files() {
        let lines = text.lines().count();
        if lines > LONGEST_FILE && !text.contains("//! Long because") {
            complaints.push(format!("{name}: {lines} lines"));
        }
        if !text.starts_with("//!") && !text.starts_with("#!") {
            complaints.push(format!("{name}: does not begin with `//!`"));
        }
    }
    report(complaints);
}

/// Checks whether a line begins a function, with any qualifiers in front of `fn`.
fn begins_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let qualifier = |word: &str| {
        matches!(word, "const" | "unsafe" | "async" | "default" | "extern" | "\"C\"" | "in")
            || word.starts_with("pub")
            || word.starts_with("crate::") && word.ends_with(')')
    };
    words.find(|word| !qualifier(word)) == Some("fn")
}

/// Returns the line numbers and bodies of functions. The text must be formatted by rustfmt: a signature ends with
/// the first line that ends with a brace, and a body ends with a brace in the column in which the function began.
fn functions<'t>(lines: &'t [&'t str]) -> Vec<(usize, &'t [&'t str])> {
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| begins_function(line)) {
        let indent = &line[..line.len() - line.trim_start().len()];
        let last = lines[start..].iter().position(|line| line.trim_end().ends_with(['{', '}', ';']));
        let Some(begin) = last.map(|at| start + at).filter(|&at| lines[at].trim_end().ends_with('{')) else {
            continue;
        };
        let is_end = |line: &&str| line.strip_prefix(indent) == Some("}");
        let Some(count) = lines[begin + 1..].iter().position(is_end) else { continue };
        found.push((start, &lines[begin + 1..][..count]));
    }
    found
}

#[test]
fn functions_of_all_shapes_are_seen() {
    let text = "fn a() {\n    1;\n}\n    pub(in crate::x) const unsafe fn b<T>(\n        x: T,\n    ) -> T\n    where\n        \
                T: Copy,\n    {\n        x\n    }\nfn c();\nfn d() {}\npub extern \"C\" fn e(\n    x: u8,\n) {\n}\n";
    let lines: Vec<&str> = text.lines().collect();
    let found: Vec<(usize, usize)> = functions(&lines).iter().map(|(at, body)| (*at, body.len())).collect();
    assert_eq!(found, [(0, 1), (3, 1), (13, 0)]);
}

#[test]
fn functions_are_short() {
    let mut complaints = Vec::new();
    for (name, text) in all_files() {
        let lines: Vec<&str> = text.lines().collect();
        for (start, body) in functions(&lines) {
            // Arms are not counted: a flat match has one line for each case.
            let arms = body.iter().filter(|line| line.contains("=>")).count();
            if body.len() - arms > LONGEST_FUNCTION {
                complaints.push(format!("{name}:{}: {} lines", start + 1, body.len()));
            }
        }
    }
    report(complaints);
}

#[test]
fn formatting_is_kept() {
    let output = std::process::Command::new("cargo")
        .args(["fmt", "--all", "--", "--check"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "run `cargo fmt --all`:\n{}",
        shown.lines().take(20).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn architecture_names_all_layers() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    for (layer, _) in LAYERS {
        assert!(text.contains(&format!("`{layer}")), "ARCHITECTURE.md does not mention `{layer}`");
    }
}

/// Returns the names `GRUS_…` in a text, without those that `env!` reads at compile time.
fn variables(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("GRUS_") {
        let name: String = text[at..]
            .chars()
            .take_while(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_')
            .collect();
        if !text[..at].ends_with("env!(\"") {
            found.push(name);
        }
    }
    found
}

#[test]
fn variables_are_read_in_one_place_and_documented() {
    let table = fs::read_to_string(root().join("docs/environment.md")).expect("docs/environment.md is there");
    let documented: Vec<String> =
        table.lines().filter(|line| line.starts_with("| `GRUS_")).flat_map(variables).collect();
    let mut complaints = Vec::new();
    let mut read = Vec::new();
    for (name, text) in all_files() {
        let of_library = name.starts_with("src/") || name.starts_with("icd/src/");
        if !of_library || name.ends_with("/build.rs") {
            continue;
        }
        for variable in variables(&text) {
            if !documented.contains(&variable) {
                complaints.push(format!("{name}: {variable} is not in the table of docs/environment.md"));
            }
            read.push((name.clone(), variable));
        }
        if (text.contains("env::var") || text.contains("getenv")) && name != "src/support/environment.rs" {
            complaints.push(format!("{name}: reads the environment"));
        }
    }
    for variable in &documented {
        if !read.iter().any(|(name, read)| name == "src/support/environment.rs" && read == variable) {
            complaints.push(format!("docs/environment.md: nobody reads {variable}"));
        }
    }
    report(complaints);
}

#[test]
fn what_machine_code_calls_is_guarded() {
    let mut complaints = Vec::new();
    for (name, text) in all_files() {
        if !name.starts_with("src/codegen/rtlib/") {
            continue;
        }
        for (at, _) in text.match_indices("extern \"C\" fn ") {
            let body = text[at..].split_once('{').map_or("", |(_, body)| body).trim_start();
            let first = body.lines().find(|line| !line.trim_start().starts_with("//")).unwrap_or_default();
            if !first.trim_start().starts_with("guard(") {
                let line = text[..at].lines().count();
                complaints.push(format!("{name}:{line}: a panic here would end the host: do it in `guard`"));
            }
        }
    }
    report(complaints);
}
