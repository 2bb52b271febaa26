//! Kernel files that the user names, and their build options.

use std::fs;
use std::io::Read;
use std::path::Path;

use clap::Args;

use crate::cl::{Program, Session};
use crate::icd;
use crate::problem::{Problem, Result, input};

/// Options of clBuildProgram. What begins with `-cl-`, and the like, was put into `option` before clap saw it.
#[derive(Args, Clone, Debug, Default)]
pub struct BuildOptions {
    /// Defines a macro: NAME or NAME=VALUE
    #[arg(short = 'D', value_name = "MACRO", allow_hyphen_values = true, help_heading = "Build options")]
    pub define: Vec<String>,
    /// Adds a folder in which #include looks
    #[arg(short = 'I', value_name = "FOLDER", help_heading = "Build options")]
    pub include: Vec<String>,
    /// Reads a header before the program, as -include
    #[arg(long = "include", value_name = "FILE", help_heading = "Build options")]
    pub header: Vec<String>,
    /// No warnings
    #[arg(short = 'w', help_heading = "Build options")]
    pub no_warnings: bool,
    /// Any other option of clBuildProgram. -cl-..., -Wall, -Werror and -O0 to -O3 may be written without this
    #[arg(
        long = "option",
        value_name = "OPTION",
        allow_hyphen_values = true,
        help_heading = "Build options"
    )]
    pub option: Vec<String>,
}

impl BuildOptions {
    /// Returns the options as a string for the API.
    pub fn text(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        words.extend(self.define.iter().map(|define| quoted(&format!("-D{define}"))));
        words.extend(self.include.iter().map(|folder| quoted(&format!("-I{folder}"))));
        if self.no_warnings {
            words.push("-w".into());
        }
        words.extend(self.option.iter().cloned());
        words.join(" ")
    }
}

/// Quotes an option if it contains blanks.
fn quoted(option: &str) -> String {
    if !option.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\')) {
        return option.to_owned();
    }
    let (letter, rest) = option.split_at(2);
    format!("{letter} \"{}\"", rest.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Contents of a kernel file.
pub enum Source {
    /// OpenCL C, with a first line that sets its file name.
    Text(String),
    /// A module in SPIR-V.
    Il(Vec<u8>),
    /// A program binary.
    Binary(Vec<u8>),
}

/// Kernel file.
pub struct File {
    /// Name as the user wrote it.
    pub name: String,
    pub source: Source,
    /// Number of lines in front of the file's own.
    headers: usize,
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Checks whether these are the bytes of a module in SPIR-V, in either byte order.
fn is_il(bytes: &[u8]) -> bool {
    let first = bytes.first_chunk().map(|&bytes| u32::from_le_bytes(bytes));
    first.is_some_and(|first| first == grus_spirv::MAGIC || first == grus_spirv::MAGIC.swap_bytes())
}

/// Returns the contents of a file; `-` is standard input.
///
/// # Errors
/// If the file cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    let bytes = if is_stdin(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    bytes.map_err(|error| Problem::Input(format!("{}: {}", path.display(), icd::plain(&error))))
}

impl File {
    /// Reads a file; `-` is standard input.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path, options: &BuildOptions) -> Result<File> {
        let name = path.display().to_string();
        let bytes = bytes(path)?;
        if is_il(&bytes) {
            return Ok(File { name, source: Source::Il(bytes), headers: 0 });
        }
        // A binary contains a zero byte, a source does not.
        if bytes.contains(&0) {
            return Ok(File { name, source: Source::Binary(bytes), headers: 0 });
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let said = if is_stdin(path) { "<stdin>" } else { &name };
        let said = said.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
        let headers: String =
            options.header.iter().map(|header| format!("#include \"{header}\"\n")).collect();
        Ok(File {
            name,
            source: Source::Text(format!("{headers}#line 1 \"{said}\"\n{text}")),
            headers: options.header.len(),
        })
    }

    /// Creates a program, which is not built yet.
    ///
    /// # Errors
    /// If the vendor does not accept it.
    pub fn program<'s>(&self, session: &'s Session) -> Result<Program<'s>> {
        match &self.source {
            Source::Text(text) => session.source(text),
            Source::Il(module) => session.il(module).map_err(|problem| problem.of(&self.name)),
            Source::Binary(binary) => session.binary(binary).map_err(|problem| {
                Problem::Input(format!("{}: not a program binary of this vendor: {problem}", self.name))
            }),
        }
    }

    /// Returns the options for this file: those of the user, followed by an include of its folder, and by the
    /// option for argument names.
    pub fn options(&self, options: &BuildOptions) -> String {
        let mut words = vec![options.text()];
        if matches!(self.source, Source::Text(_)) {
            let folder = Path::new(&self.name).parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.map_or(".".into(), |folder| folder.display().to_string());
            words.push(quoted(&format!("-I{folder}")));
            if !options.option.iter().any(|option| option == "-cl-kernel-arg-info") {
                words.push("-cl-kernel-arg-info".into());
            }
        }
        words.join(" ").trim().to_owned()
    }

    /// Returns the number of lines of the text.
    pub fn lines(&self) -> usize {
        match &self.source {
            Source::Text(text) => text.lines().count().saturating_sub(self.headers + 1),
            Source::Il(_) | Source::Binary(_) => 0,
        }
    }
}

/// Rewrites options of compilers, which have one dash and several letters, into options that clap parses: in the
/// commands that accept them, up to `--`.
///
/// # Errors
/// If an option lacks its operand.
pub fn rewrite(arguments: Vec<std::ffi::OsString>) -> Result<Vec<std::ffi::OsString>> {
    let takes_options = arguments
        .iter()
        .skip(1)
        .find(|word| !word.to_string_lossy().starts_with('-'))
        .is_some_and(|command| command == "build" || command == "run");
    if !takes_options {
        return Ok(arguments);
    }
    let mut written = Vec::new();
    let mut rest = arguments.into_iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        match &*text {
            "--" => {
                written.push(word);
                written.extend(rest);
                break;
            }
            "-MMD" | "-MD" => written.push("--dependencies".into()),
            "-MF" => {
                let Some(file) = rest.next() else { return input("-MF: which file?") };
                written.extend(["--dependency-file".into(), file]);
            }
            "-include" => written.push("--include".into()),
            _ if text.starts_with("-MF") => written.extend(["--dependency-file".into(), text[3..].into()]),
            "-Werror"
            | "-Wall"
            | "-create-library"
            | "-enable-link-options"
            | "-O0"
            | "-O1"
            | "-O2"
            | "-O3" => {
                written.push(format!("--option={text}").into());
            }
            _ if text.starts_with("-cl-") => written.push(format!("--option={text}").into()),
            _ => written.push(word),
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(words: &[&str]) -> Vec<String> {
        let words = words.iter().map(Into::into).collect();
        rewrite(words).expect("whole").iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn options_of_compilers() {
        assert_eq!(
            rewritten(&[
                "grus",
                "build",
                "-cl-std=CL2.0",
                "-Werror",
                "-MMD",
                "-MF",
                "x.d",
                "-DA",
                "--",
                "-cl-x"
            ]),
            [
                "grus",
                "build",
                "--option=-cl-std=CL2.0",
                "--option=-Werror",
                "--dependencies",
                "--dependency-file",
                "x.d",
                "-DA",
                "--",
                "-cl-x"
            ]
        );
        assert_eq!(rewritten(&["grus", "with", "prog", "-cl-x"]), ["grus", "with", "prog", "-cl-x"]);
        assert!(rewrite(vec!["grus".into(), "build".into(), "-MF".into()]).is_err());
    }

    #[test]
    fn the_options_string() {
        let options = BuildOptions {
            define: vec!["A=1".into(), "S=a \"b\"".into()],
            include: vec!["/a b".into()],
            header: Vec::new(),
            no_warnings: true,
            option: vec!["-cl-mad-enable".into()],
        };
        assert_eq!(options.text(), r#"-DA=1 -D "S=a \"b\"" -I "/a b" -w -cl-mad-enable"#);
    }
}
