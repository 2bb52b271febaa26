//! Commands and options for clap, and the help texts. The commands are implemented in files of their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

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

const STATUS: &str =
    "Exit status: 0 if all went well, 1 if what was asked for failed, 2 if it makes no sense.";

/// Condition for colours.
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
    /// Records what a program does with OpenCL and when, as a timeline or a summary
    #[command(after_help = TRACE)]
    Trace(Trace),
    /// Builds kernels as clBuildProgram would, and tells what is wrong with them
    // Build systems may repeat an option: as for compilers, the last one counts.
    #[command(after_help = BUILD, args_override_self = true)]
    Build(Box<Build>),
    /// Runs a kernel without a host program
    #[command(after_help = RUN, args_override_self = true)]
    Run(Box<Run>),
    /// Writes one launch of a kernel, with all that it reads and makes, to a file
    #[command(after_help = CAPTURE)]
    Capture(Capture),
    /// Runs a captured launch again, on any vendor, and compares
    #[command(after_help = REPLAY)]
    Replay(Box<Replay>),
    /// Writes manual pages into a folder
    #[command(after_help = "Example:\n  grus manual ~/.local/share/man/man1")]
    Manual {
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Prints completions for a shell
    #[command(
        after_help = "Example:\n  grus completions bash > ~/.local/share/bash-completion/completions/grus"
    )]
    Completions {
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
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

/// Format of output: for people or for programs.
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

#[derive(Debug, Args)]
pub struct Program {
    /// The program and its arguments
    #[arg(
        required_unless_present = "read",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub command: Vec<OsString>,
}

const TRACE: &str = "\
Examples:
  grus trace -- python3 program.py
  grus trace -o blur.json -- ./blur photo.png
  grus trace --summary -- clpeak
  grus trace --summary-file=times.json --format=json -- ./program

The program finds Grus and no other vendor, as with `grus with`. The timeline has every call of the API on the track of its
thread, stages of builds, and every kernel, transfer or other command on the track of its queue; ui.perfetto.dev and
chrome://tracing open it.

Exit status: that of the program (127 if there is none, 126 if it may not run); 1 if what was recorded cannot be written.";

#[derive(Debug, Args)]
pub struct Trace {
    /// Where the timeline is written [default: grus-trace.json, unless a summary is asked for]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Prints where the time went, on standard error
    #[arg(short, long)]
    pub summary: bool,
    /// Writes that into a file instead
    #[arg(long, value_name = "FILE")]
    pub summary_file: Option<PathBuf>,
    /// How to tell it
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Plain,
    /// Reads what was recorded with GRUS_TRACE=FOLDER instead of running a program
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub read: Option<PathBuf>,
    #[command(flatten)]
    pub program: Program,
}

impl Trace {
    /// Returns the path of the timeline, if one is requested.
    pub fn output(&self) -> Option<&Path> {
        let default = (!self.wants_summary()).then_some(Path::new("grus-trace.json"));
        self.output.as_deref().or(default)
    }

    /// Checks whether a summary is requested.
    pub fn wants_summary(&self) -> bool {
        self.summary || self.summary_file.is_some()
    }
}

const CAPTURE: &str = "\
Examples:
  grus capture --list -- python3 program.py
  grus capture -k blur -- python3 program.py
  grus capture -k blur -n 10 -o blur.tar.gz -- ./blur photo.png
  tar tzf blur.tar.gz

The program finds Grus and no other vendor, as with `grus with`. The file has the kernel's source (or binary) and options, the
arguments, and buffers, images, pipes and shared virtual memory before and after the launch: `grus replay` runs it. If the program
dies of the launch, the file has what was there before.

Exit status: that of the program (127 if there is none, 126 if it may not run); 1 if there was no such launch.";

#[derive(Debug, Args)]
pub struct Capture {
    /// The kernel, else any
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Which of its launches, from 1
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub launch: u64,
    /// Where it is written [default: grus-capture.tar.gz]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Lets PyOpenCL and OpenCV use binaries that they have kept
    #[arg(long)]
    pub keep_caches: bool,
    /// Captures nothing, but tells which kernels are launched and how often
    #[arg(long, conflicts_with_all = ["kernel", "output"])]
    pub list: bool,
    /// Reads what was captured with GRUS_CAPTURE=FOLDER instead of running a program
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub read: Option<PathBuf>,
    #[command(flatten)]
    pub program: Program,
}

const REPLAY: &str = "\
Examples:
  grus replay blur.tar.gz
  grus replay blur.tar.gz --vendor pocl --tolerance 1e-5
  grus replay blur.tar.gz --repeat 20 --local 64x4
  grus replay blur.tar.gz --repeat 20 --source faster.cl
  grus replay blur.tar.gz --extract blur && grus replay blur

Each run begins with what was captured before the launch. What it makes is compared with what was captured after it.

Exit status: 0 if all results are as captured, 1 if some differ, or if the kernel does not build or faults, 2 if the file or the
options make no sense.";

#[derive(Debug, Args)]
pub struct Replay {
    /// What `grus capture` has written, or a folder that it was extracted to
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Runs it on another vendor, too: a library, an .icd file, a vendors folder, or a part of a name
    #[arg(long, value_name = "VENDOR")]
    pub vendor: Vec<String>,
    /// Runs it on the other vendors only
    #[arg(long)]
    pub without_grus: bool,
    /// Runs it so many more times, and tells how long that takes
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub repeat: Option<u32>,
    /// Runs before those that are measured
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub warmup: u32,
    /// How far numbers may differ: relative to those that were captured, or absolute where these are below 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    pub tolerance: f64,
    /// The type that an argument points to, where its name says nothing: NAME=TYPE
    #[arg(long = "type", value_name = "NAME=TYPE")]
    pub types: Vec<String>,
    /// Compares nothing
    #[arg(long)]
    pub no_compare: bool,
    /// Builds this source instead; once for each source of a program that was linked of several
    #[arg(long, value_name = "FILE")]
    pub source: Vec<PathBuf>,
    /// Builds with these options instead
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub set_options: Option<String>,
    /// Work-items of a group instead of those that were captured; `any` has the library choose
    #[arg(short, long, value_name = "SIZE")]
    pub local: Option<String>,
    /// Tells what is in the file, and runs nothing
    #[arg(long)]
    pub show: bool,
    /// Writes what is in the file into a folder, and runs nothing
    #[arg(long, value_name = "FOLDER", conflicts_with = "show")]
    pub extract: Option<PathBuf>,
}

const BUILD: &str = "\
Examples:
  grus build blur.cl -DRADIUS=3 -cl-std=CL2.0 -Werror
  grus build blur.cl --kernels --time
  grus build blur.cl --emit=asm --local=16x16
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
    /// Prints kernels, their arguments, what they take, and how many work-items run side by side
    #[arg(short = 'k', long)]
    pub kernels: bool,
    /// Size of the groups that machine code is made for, where kernels require none: 16x16; else 64
    #[arg(long, value_name = "SIZE")]
    pub local: Option<String>,
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
    /// Checks whether a dependency file is requested.
    pub fn wants_dependencies(&self) -> bool {
        self.dependencies || self.dependency_file.is_some()
    }
}

/// Format of messages.
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
    /// Checks whether the format is one document for all files.
    pub fn is_document(self) -> bool {
        matches!(self, Format::Json | Format::Sarif)
    }
}

/// Kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The program binary, for clCreateProgramWithBinary
    Binary,
    /// The text after preprocessing, even of a program that is wrong
    Preprocessed,
    /// The intermediate representation of Grus, before it is known how kernels are launched
    Ir,
    /// Assembly of the kernels below their source lines, for long launches in groups of --local
    Asm,
}

impl Emit {
    /// Checks whether the output is a text.
    pub fn is_text(self) -> bool {
        self != Emit::Binary
    }
}

const RUN: &str = "\
Arguments are given in the kernel's order, or by name as NAME=...:

  scalars, vectors   42  -1.5  0xff  1,2,3,4 (one number fills a vector)
  buffers            CONTENT[:SIZE], where CONTENT is
                       zeros, ones, iota, iota=START,STEP
                       random (floats from 0 to 1, integers anything), random=LOW..HIGH
                       1,2,3 (these numbers, again and again if there is a SIZE)
                       @FILE.npy, @FILE.png, @FILE (bytes as they are)
                     and SIZE is 1024, 64K, 1M or 640x480 elements, else one for each work-item; or null
  images             CONTENT[:SIZE][:FORMAT]: @photo.png, zeros:640x480:rgba8. A FORMAT is r, rg, rgba, bgra, ... and
                     8, 16, 8s, 16s (normalized), 8i, 16i, 32i, 8u, 16u, 32u, 16f or 32f; else rgba8
  samplers           nearest or linear; none, edge, clamp, repeat or mirror; normalized or pixels: linear,repeat,normalized
  local memory       256 elements, or 1024B; else an element for each work-item of the group

`_` leaves a sampler or local memory at what it is without. Pointers to structures count in bytes, or in what --type says.
What begins with a minus and is no number is given by name, or behind --.

Examples:
  grus run saxpy.cl -g 1M 2.5 iota random
  grus run blur.cl -k blur -g 640x480 src=@photo.png dst=zeros --write dst=blurred.png
  grus run reduce.cl -k sum -g 64K -l 64 in=ones out=zeros:1K --expect out=64
  grus run nbody.cl -g 4K random random=-1..1 zeros 0.01 --repeat 20 --vendor pocl --tolerance 1e-4

Exit status: 0 if all went well, 1 if the kernel does not build, faults, or its results differ, 2 if the input makes no sense.";

#[derive(Debug, Args)]
pub struct Run {
    /// Kernel file: OpenCL C or a program binary; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The kernel's arguments, see below
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    pub arguments: Vec<String>,
    /// The kernel, if there are several
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Work-items in one to three dimensions: 1M, 640x480
    #[arg(short, long, value_name = "SIZE")]
    pub global: String,
    /// Work-items of a group, else the library chooses
    #[arg(short, long, value_name = "SIZE")]
    pub local: Option<String>,
    /// The first work-item's number
    #[arg(short, long, value_name = "SIZE")]
    pub offset: Option<String>,
    #[command(flatten)]
    pub options: BuildOptions,
    /// Prints this result in full, and no others
    #[arg(short, long, value_name = "NAME")]
    pub print: Vec<String>,
    /// Prints so many elements of each result; 0 for all
    #[arg(short = 'n', long, value_name = "COUNT")]
    pub elements: Option<usize>,
    /// Prints no results
    #[arg(short, long)]
    pub quiet: bool,
    /// Writes a result: NAME=FILE.npy, .png, or any other for the bytes as they are
    #[arg(long, value_name = "NAME=FILE")]
    pub write: Vec<String>,
    /// Writes the machine code that ran as assembly, with its source lines; - is standard output
    #[arg(long, value_name = "FILE")]
    pub asm: Option<PathBuf>,
    /// Compares a result with a content, as arguments have it
    #[arg(long, value_name = "NAME=CONTENT")]
    pub expect: Vec<String>,
    /// How far numbers may differ: relative to those that are expected, or absolute where these are below 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    pub tolerance: f64,
    /// Runs it so many more times, and tells how long that takes
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub repeat: Option<u32>,
    /// Runs before those that are measured
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub warmup: u32,
    /// The start of random numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// The type that an argument points to or is, where its name says nothing: NAME=TYPE
    #[arg(long = "type", value_name = "NAME=TYPE")]
    pub types: Vec<String>,
    /// Runs it on another vendor, too, and compares: a library, an .icd file, a vendors folder, or a part of a name
    #[arg(long, value_name = "VENDOR")]
    pub vendor: Option<String>,
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
