//! Tests of `grus with`: the program replaces the process, and finds one vendor.

use std::fs;

use super::{command, folder, said, the_library};

fn with(words: &[&str]) -> super::Said {
    let folder = folder(&format!("with-{}", words.join("-").replace(|c: char| !c.is_alphanumeric(), "")));
    said(command(&folder).env("XDG_CACHE_HOME", folder.join("cache")).args(["with", "--"]).args(words))
}

#[test]
fn exit_status_and_signals_are_the_programs() {
    assert_eq!(with(&["sh", "-c", "exit 7"]).status, Some(7));
    assert_eq!(with(&["sh", "-c", "kill -TERM $$"]).signal, Some(15));
    assert_eq!(with(&["sh", "-c", "echo $1; echo $2 >&2", "sh", "-a", "--b"]).status(0).out, "-a\n");
    let missing = with(&["/nowhere/program"]).status(127);
    assert_eq!(missing.err, "grus: error: /nowhere/program: no such file or directory\n");
    assert_eq!(with(&["/etc/passwd"]).status, Some(126));
}

#[test]
fn the_loader_shows_grus_and_nothing_else() {
    let loader = with(&[env!("CARGO_BIN_EXE_grus"), "probe", "--loader"]).status(0);
    assert!(loader.out.contains(r#""platforms":["Grus"]"#), "{}", loader.out);
    let names = with(&["sh", "-c", "cat $OCL_ICD_VENDORS/*.icd; echo $OCL_ICD_FILENAMES"]).status(0).out;
    let library = the_library().display();
    assert_eq!(names, format!("{library}\n{library}\n"));
}

#[test]
fn the_folder_is_kept_and_private() {
    let folder = folder("with-folder");
    let cache = folder.join("cache");
    let vendors = || {
        let mut with = command(&folder);
        with.env("XDG_CACHE_HOME", &cache).args(["with", "sh", "-c", "echo $OCL_ICD_VENDORS"]);
        said(&mut with).status(0).out
    };
    let first = vendors();
    assert!(first.starts_with(&cache.display().to_string()), "{first}");
    assert_eq!(first, vendors());
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(cache.join("grus")).expect("there").permissions(),
    );
    assert_eq!(mode & 0o777, 0o700);
    // If the cache folder cannot be written, the folder is among the temporary files.
    let mut with = command(&folder);
    with.env("XDG_CACHE_HOME", "/proc/none").env("TMPDIR", &folder).args([
        "with",
        "sh",
        "-c",
        "echo $OCL_ICD_VENDORS",
    ]);
    assert!(said(&mut with).status(0).out.starts_with(&folder.display().to_string()));
}
