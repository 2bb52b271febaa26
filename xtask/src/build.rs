//! Builds all targets of the workspace with one set of features, and finds the test executables and the library.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Results of a build.
pub struct BuildOutput {
    pub tests: Vec<Executable>,
    /// Path of `libgrus.so`.
    pub library: PathBuf,
}

/// A test executable.
pub struct Executable {
    /// Package and target, for example `grus-conformance suite`. The target is `units` for the unit tests of a
    /// library or a program: `grus-tools units`.
    pub name: String,
    pub path: PathBuf,
    /// Folder of its package.
    pub folder: PathBuf,
}

/// Builds the workspace.
///
/// # Errors
/// If the build fails, or if it makes no `libgrus.so`.
pub fn build() -> Result<BuildOutput, String> {
    let mut cargo = Command::new("cargo");
    // Benchmarks are left out: Cargo would build a unit test executable for each of them.
    cargo.args(["build", "--workspace", "--lib", "--bins", "--tests", "--examples"]);
    cargo.arg("--message-format=json-render-diagnostics");
    let mut child = cargo.stdout(Stdio::piped()).spawn().map_err(|why| format!("cargo: {why}"))?;
    let (mut tests, mut library) = (Vec::new(), None);
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
        let line = line.map_err(|why| format!("cargo: {why}"))?;
        if field(&line, "reason") != Some("compiler-artifact") {
            continue;
        }
        let profile = line.split_once(r#""profile":{"#).and_then(|(_, rest)| rest.split('}').next());
        if profile.is_some_and(|profile| profile.ends_with(r#""test":true"#)) {
            tests.extend(executable(&line));
        } else if let Some(path) = files(&line).find(|path| path.ends_with("libgrus.so")) {
            library = Some(PathBuf::from(path));
        }
    }
    let status = child.wait().map_err(|why| format!("cargo: {why}"))?;
    if !status.success() {
        return Err("the workspace does not build".into());
    }
    Ok(BuildOutput { tests, library: library.ok_or("libgrus.so was not built")? })
}

/// Parses a message of Cargo that describes a test executable. Returns `None` if it describes none.
fn executable(line: &str) -> Option<Executable> {
    let path = PathBuf::from(field(line, "executable")?);
    let folder = Path::new(field(line, "manifest_path")?).parent()?.to_owned();
    let target = &line[line.find(r#""target":"#)?..];
    // A package id is `path+file:///work/grus/bench#grus-bench@0.2.0`; the name is omitted if it equals the
    // folder's name.
    let id = field(line, "package_id")?;
    let (place, version) = id.split_once('#')?;
    let package = version.split_once('@').map_or(place.rsplit('/').next()?, |(name, _)| name);
    let is_own = target.starts_with(r#""target":{"kind":["test"]"#);
    let name = if is_own { field(target, "name")? } else { "units" };
    Some(Executable { name: format!("{package} {name}"), path, folder })
}

/// Returns the text of the first field of this name in a message.
fn field<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let key = format!(r#""{name}":""#);
    let begin = line.find(&key)? + key.len();
    line[begin..].split('"').next()
}

/// Returns the paths of the files that Cargo made.
fn files(line: &str) -> impl Iterator<Item = &str> {
    let list = line.split_once(r#""filenames":["#).map_or("", |(_, list)| list);
    list.split(']').next().unwrap_or_default().split(',').map(|file| file.trim_matches('"'))
}
