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

/// Command line for authors of OpenCL kernels: finds out why programs do not see a device, builds kernels as a compiler
/// would, and runs them without a host program.
#[derive(Debug, Parser)]
#[command(name = "grus", version, styles = STYLES, max_term_width = 110, after_help = STATUS)]
pub struct Cli {
    /// Library of Grus, instead of the one beside this program, in ../lib, or in an .icd file
    #[arg(long, global = true, value_name = "PATH", env = "GRUS_LIBRARY")]
    pub library: Option<PathBuf>,
    /// Condition for colors in the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    #[command(subcommand)]
    pub command: Command,
}

const STATUS: &str =
    "Exit status: 0 if all went well, 1 if the command failed, 2 if the command line makes no sense.";

/// Condition for colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Checks whether programs on this machine find Grus and can run kernels, and names remedies
    #[command(after_help = DOCTOR)]
    Doctor(Doctor),
    /// Runs a program with Grus as its only OpenCL vendor
    #[command(after_help = WITH)]
    With(With),
    /// Records a program's use of OpenCL, as a timeline or a summary
    #[command(after_help = TRACE)]
    Trace(Trace),
    /// Builds kernels as clBuildProgram would, and reports errors and warnings
    // Build systems may repeat an option: as for compilers, the last one counts.
    #[command(after_help = BUILD, args_override_self = true)]
    Build(Box<Build>),
    /// Runs a kernel without a host program
    #[command(after_help = RUN, args_override_self = true)]
    Run(Box<Run>),
    /// Writes one launch of a kernel to a file, with its input and its results
    #[command(after_help = CAPTURE)]
    Capture(Capture),
    /// Runs a captured launch again, on any vendor, and compares the results
    #[command(after_help = REPLAY)]
    Replay(Box<Replay>),
    /// Disassembles a SPIR-V module
    #[command(after_help = DIS)]
    Dis(Dis),
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
    /// Format of the report
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
    /// Program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Program {
    /// Program and its arguments
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

Exit status: that of the program (127 if there is none, 126 if it may not run); 1 if the recording cannot be written.";

#[derive(Debug, Args)]
pub struct Trace {
    /// File for the timeline [default: grus-trace.json, unless a summary is requested]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Prints a summary of the times on standard error
    #[arg(short, long)]
    pub summary: bool,
    /// Writes the summary to a file instead
    #[arg(long, value_name = "FILE")]
    pub summary_file: Option<PathBuf>,
    /// Format of the summary
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Plain,
    /// Reads a recording that was made with GRUS_TRACE=FOLDER instead of running a program
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
    /// Name of the kernel [default: any kernel]
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Number of the launch to capture, counted from 1
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub launch: u64,
    /// File for the capture [default: grus-capture.tar.gz]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Lets PyOpenCL and OpenCV use the binaries in their caches
    #[arg(long)]
    pub keep_caches: bool,
    /// Lists the kernels that are launched, with the numbers of their launches, and captures nothing
    #[arg(long, conflicts_with_all = ["kernel", "output"])]
    pub list: bool,
    /// Reads a capture that was made with GRUS_CAPTURE=FOLDER instead of running a program
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

Each run begins with the memory as captured before the launch. Its results are compared with the memory captured after it.

Exit status: 0 if all results are as captured, 1 if some differ, or if the kernel does not build or faults, 2 if the file or the
options make no sense.";

#[derive(Debug, Args)]
pub struct Replay {
    /// File from `grus capture`, or the folder that it was extracted to
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Runs the launch on another vendor, too: a library, an .icd file, a vendors folder, or a part of a name
    #[arg(long, value_name = "VENDOR")]
    pub vendor: Vec<String>,
    /// Runs the launch on the other vendors only
    #[arg(long)]
    pub without_grus: bool,
    /// Number of further runs, whose times are printed
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub repeat: Option<u32>,
    /// Number of runs before those that are measured
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub warmup: u32,
    /// Maximum difference of numbers: relative to those that were captured, or absolute where these are below 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    pub tolerance: f64,
    /// Element type of an argument, if its declaration does not tell: NAME=TYPE
    #[arg(long = "type", value_name = "NAME=TYPE")]
    pub types: Vec<String>,
    /// Compares nothing
    #[arg(long)]
    pub no_compare: bool,
    /// Builds this source instead; repeated for each source of a program that was linked from several
    #[arg(long, value_name = "FILE")]
    pub source: Vec<PathBuf>,
    /// Builds with these options instead
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub set_options: Option<String>,
    /// Size of the work-groups instead of the captured one; with `any` the library chooses it
    #[arg(short, long, value_name = "SIZE")]
    pub local: Option<String>,
    /// Describes the contents of the file, and runs nothing
    #[arg(long)]
    pub show: bool,
    /// Writes the contents of the file to a folder, and runs nothing
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
    /// Kernel files: OpenCL C, SPIR-V or program binaries; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub options: BuildOptions,
    /// Format of errors and warnings
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Compiles only (clCompileProgram): functions may be missing
    #[arg(short = 'c', long)]
    pub compile: bool,
    /// Compiles each file, and links all of them (clLinkProgram)
    #[arg(short = 'l', long, conflicts_with = "compile")]
    pub link: bool,
    /// Prints kernels, their arguments, their use of memory, and the number of lanes of their code
    #[arg(short = 'k', long)]
    pub kernels: bool,
    /// Size of the work-groups that machine code is made for, if kernels require none: 16x16 [default: 64]
    #[arg(long, value_name = "SIZE")]
    pub local: Option<String>,
    /// Prints the time of each build
    #[arg(short = 't', long)]
    pub time: bool,
    /// Writes the result of the build in this form
    #[arg(long, value_name = "KIND")]
    pub emit: Option<Emit>,
    /// File for the result; - is standard output [default: - for texts, FILE.clbin in this folder for binaries]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Writes a dependency file, as -MMD
    #[arg(long)]
    pub dependencies: bool,
    /// Name of the dependency file, as -MF
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
    /// With source lines, in color
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
    /// Program binary, for clCreateProgramWithBinary
    Binary,
    /// Text after preprocessing, even of a program with errors
    Preprocessed,
    /// Intermediate representation of Grus, before kernels are specialized for launches
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

`_` leaves a sampler or local memory at its default. Sizes of pointers to structures are in bytes, or in elements of --type.
An argument that begins with a minus and is no number is given by name, or after --.

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
    /// Arguments of the kernel, see below
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    pub arguments: Vec<String>,
    /// Name of the kernel, if there are several
    #[arg(short, long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Number of work-items in one to three dimensions: 1M, 640x480
    #[arg(short, long, value_name = "SIZE")]
    pub global: String,
    /// Size of the work-groups; without it the library chooses
    #[arg(short, long, value_name = "SIZE")]
    pub local: Option<String>,
    /// Global id of the first work-item
    #[arg(short, long, value_name = "SIZE")]
    pub offset: Option<String>,
    #[command(flatten)]
    pub options: BuildOptions,
    /// Prints only this result, in full
    #[arg(short, long, value_name = "NAME")]
    pub print: Vec<String>,
    /// Number of elements to print of each result; 0 for all
    #[arg(short = 'n', long, value_name = "COUNT")]
    pub elements: Option<usize>,
    /// Prints no results
    #[arg(short, long)]
    pub quiet: bool,
    /// Writes a result to a file: NAME=FILE.npy, .png, or any other suffix for the bytes as they are
    #[arg(long, value_name = "NAME=FILE")]
    pub write: Vec<String>,
    /// Writes the machine code that ran as assembly, with its source lines; - is standard output
    #[arg(long, value_name = "FILE")]
    pub asm: Option<PathBuf>,
    /// Compares a result with a content, which is written as for arguments
    #[arg(long, value_name = "NAME=CONTENT")]
    pub expect: Vec<String>,
    /// Maximum difference of numbers: relative to those that are expected, or absolute where these are below 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    pub tolerance: f64,
    /// Number of further runs, whose times are printed
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub repeat: Option<u32>,
    /// Number of runs before those that are measured
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub warmup: u32,
    /// Seed of random numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Type of an argument or of its elements, if its declaration does not tell: NAME=TYPE
    #[arg(long = "type", value_name = "NAME=TYPE")]
    pub types: Vec<String>,
    /// Runs the kernel on another vendor, too, and compares: a library, an .icd file, a vendors folder, or a part of a name
    #[arg(long, value_name = "VENDOR")]
    pub vendor: Option<String>,
}

const DIS: &str = "\
Examples:
  grus dis blur.spv
  grus dis blur.spv | grep OpEntryPoint

The text is that of Khronos's spirv-dis --raw-id. The form of the module is checked: header, operands, ids, order of sections.

Exit status: 0 if the module is of valid form, 1 if not, 2 if there is no such file.";

#[derive(Debug, Args)]
pub struct Dis {
    /// SPIR-V module; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Prints no comments with the contents of the header
    #[arg(long)]
    pub no_header: bool,
    /// Begins all lines in the first column
    #[arg(long)]
    pub no_indent: bool,
}

#[derive(Debug, Args)]
pub struct Probe {
    /// Library of the vendor
    #[arg(long)]
    pub vendor: Option<PathBuf>,
    /// Uses the loader that the dynamic linker finds
    #[arg(long)]
    pub loader: bool,
}
