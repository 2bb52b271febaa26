//! Builds the workspace, all targets with one set of features, and finds out where the tests and the library are.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What was built.
pub struct Built {
    pub tests: Vec<Executable>,
    /// `libgrus.so`.
    pub library: PathBuf,
}

/// A test executable.
pub struct Executable {
    /// Its package and target: `grus-conformance suite`; `grus-tools units` for those of a library or a program itself.
    pub name: String,
    pub path: PathBuf,
    /// The folder of its package.
    pub folder: PathBuf,
}

/// Builds everything.
pub fn build() -> Result<Built, String> {
    let mut cargo = Command::new("cargo");
    // All targets but benchmarks, which would be tests of whatever has none.
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
    Ok(Built { tests, library: library.ok_or("libgrus.so was not built")? })
}

/// Reads a message of a test executable.
fn executable(line: &str) -> Option<Executable> {
    let path = PathBuf::from(field(line, "executable")?);
    let folder = Path::new(field(line, "manifest_path")?).parent()?.to_owned();
    let target = &line[line.find(r#""target":"#)?..];
    // `path+file:///work/grus/bench#grus-bench@0.2.0`, or without the name if the folder has it.
    let id = field(line, "package_id")?;
    let (place, version) = id.split_once('#')?;
    let package = version.split_once('@').map_or(place.rsplit('/').next()?, |(name, _)| name);
    let is_own = target.starts_with(r#""target":{"kind":["test"]"#);
    let name = if is_own { field(target, "name")? } else { "units" };
    Some(Executable { name: format!("{package} {name}"), path, folder })
}

/// The text that a field of this name has, the first one in a message.
fn field<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let key = format!(r#""{name}":""#);
    let begin = line.find(&key)? + key.len();
    line[begin..].split('"').next()
}

/// The files that were made.
fn files(line: &str) -> impl Iterator<Item = &str> {
    let list = line.split_once(r#""filenames":["#).map_or("", |(_, list)| list);
    list.split(']').next().unwrap_or_default().split(',').map(|file| file.trim_matches('"'))
}
