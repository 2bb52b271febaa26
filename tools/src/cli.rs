//! Commands and options as clap reads them, and the help that it prints. What a command does stands in its own file.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::source::BuildOptions;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

/// The command line for people who write OpenCL kernels: finds out why programs do not see a device, builds kernels as a
/// compiler would, runs them without a host program.
#[derive(Debug, Parser)]
#[command(name = "grus", version, styles = STYLES, max_term_width = 110, after_help = STATUS)]
pub struct Cli {
    /// The library of Grus, instead of the one beside this program, in ../lib, or in an .icd file
    #[arg(long, global = true, value_name = "PATH", env = "GRUS_LIBRARY")]
    pub library: Option<PathBuf>,
    /// Whether to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    #[command(subcommand)]
    pub command: Command,
}

const STATUS: &str = "Exit status: 0 if all went well, 1 if what was asked for failed, 2 if it makes no sense.";

/// When there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Tells what stands between this machine and a kernel that runs, and what to do about it
    #[command(after_help = DOCTOR)]
    Doctor(Doctor),
    /// Runs a program with Grus as its only OpenCL vendor
    #[command(after_help = WITH)]
    With(With),
    /// Builds kernels as clBuildProgram would, and tells what is wrong with them
    #[command(after_help = BUILD)]
    Build(Build),
    /// Uses one vendor, for `doctor`
    #[command(hide = true)]
    Probe(Probe),
}

const DOCTOR: &str = "\
Examples:
  grus doctor
  grus doctor --format=json | jq '.findings[] | select(.level == \"error\")'

Exit status: 0 if programs find Grus and kernels run on it, 1 if not.";

#[derive(Debug, Args)]
pub struct Doctor {
    /// How to tell it
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Plain,
}

/// For people or for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plain {
    Human,
    Json,
}

const WITH: &str = "\
Examples:
  grus with -- clinfo
  GRUS_TIMING=1 grus with -- python3 program.py

The program takes the place of grus: exit status and signals are its own. It is given OCL_ICD_VENDORS (ocl-icd and
Khronos's loader) and OCL_ICD_FILENAMES (Khronos's). Exit status 127 if there is no such program, 126 if it may not run.";

#[derive(Debug, Args)]
pub struct With {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

const BUILD: &str = "\
Examples:
  grus build blur.cl -DRADIUS=3 -cl-std=CL2.0 -Werror
  grus build blur.cl --kernels --time
  grus build --emit=binary -o blur.clbin -MMD -MF blur.d blur.cl
  grus build --format=sarif kernels/*.cl > kernels.sarif

Each file is a program of its own, unless --link makes one of all. #include looks in the folders of -I, and then in that of
the file. -MMD and -MF FILE write a dependency file as C compilers do.

Exit status: 0 if all files build, 1 if one does not, 2 if the options make no sense.";

#[derive(Debug, Args)]
pub struct Build {
    /// Kernel files: OpenCL C or program binaries; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub options: BuildOptions,
    /// How errors and warnings are told
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Only compiles (clCompileProgram): functions may be missing
    #[arg(short = 'c', long)]
    pub compile: bool,
    /// Compiles each file, and links all (clLinkProgram)
    #[arg(short = 'l', long, conflicts_with = "compile")]
    pub link: bool,
    /// Prints kernels, their arguments, and what they take
    #[arg(short = 'k', long)]
    pub kernels: bool,
    /// Tells how long each build took
    #[arg(short = 't', long)]
    pub time: bool,
    /// Writes what was made
    #[arg(long, value_name = "KIND")]
    pub emit: Option<Emit>,
    /// Where it is written; - is standard output. Else texts go there, binaries to FILE.clbin in the current folder
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Writes a dependency file, as -MMD
    #[arg(long)]
    pub dependencies: bool,
    /// Where it is written, as -MF
    #[arg(long, value_name = "FILE")]
    pub dependency_file: Option<PathBuf>,
    /// Builds with another vendor: a library, an .icd file, a vendors folder, or a part of a platform's name
    #[arg(long, value_name = "VENDOR")]
    pub vendor: Option<String>,
}

impl Build {
    /// Whether a dependency file is to be written.
    pub fn wants_dependencies(&self) -> bool {
        self.dependencies || self.dependency_file.is_some()
    }
}

/// How messages are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// With source lines, in colour
    Human,
    /// One line each
    Gcc,
    /// With kernels and times
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

impl Format {
    /// Whether it is one document for all files.
    pub fn is_document(self) -> bool {
        matches!(self, Format::Json | Format::Sarif)
    }
}

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The program binary, for clCreateProgramWithBinary
    Binary,
    /// The text after preprocessing, even of a program that is wrong
    Preprocessed,
    /// The intermediate representation of Grus, before it is known how kernels are launched
    Ir,
}

impl Emit {
    /// Whether people can read it.
    pub fn is_text(self) -> bool {
        self != Emit::Binary
    }
}

#[derive(Debug, Args)]
pub struct Probe {
    /// A vendor's library
    #[arg(long)]
    pub vendor: Option<PathBuf>,
    /// The loader that the dynamic linker finds
    #[arg(long)]
    pub loader: bool,
}
