//! SPIR-V as input: a front end beside OpenCL C. It reads modules, checks them, translates them to the IR, and prints
//! them. It knows nothing of OpenCL C. `docs/spirv.md` says what is taken and what is refused.
//!
//! # Structure
//!
//! - [`Module::read`] turns bytes into a [`Module`] and checks its *form*: all rules that need neither types nor the
//!   values of specialization constants. A module that breaks one yields a [`FormError`] with the position of the
//!   wrong word. Any bytes are safe to read: the time is linear in their number, and so is the memory.
//! - A [`Module`] owns the words, in the machine's byte order. Its tables have positions of instructions in them: one
//!   for each [`Id`], the names and decorations of an id, entry points, and the range of words of each function.
//!   Nothing else is decoded; [`Module::instruction`] gives an instruction as a row of the grammar and its words.
//! - [`grammar`] has the instructions ([`Opcode`]), the kinds of their operands with all enumerants, and the extended
//!   instruction sets: the table `grammar.tsv`, which is extracted from the grammar that Khronos publishes. What only
//!   shaders, ray tracing or FPGAs need is not in it.
//! - [`translate()`] makes IR of a module, with values of specialization constants ([`SpecValues`]). First it reads the
//!   declarations: types with their layout, constants, and variables (`globals.rs`). Then it checks the *rules*, all
//!   that is left (`validate/`), and translates function by function (`translate/`). What breaks a rule yields a
//!   [`BuildMessage`] each; translation relies on the rules, but has a message and not a panic for what slips through.
//! - [`Module::disassemble`] writes the text that Khronos's `spirv-dis` writes. The assembler of the tests
//!   (`tests/assembler`) reads it again. [`float`] has the texts of floating-point literals.
//! - `validate` has the rules of a build, beginning with those of the environment of OpenCL. The translation relies on
//!   them. A module that breaks some yields [`Messages`].
//! - [`request`] says which function of the builtin library an instruction is, by the tables `extended.tsv` and
//!   `core.tsv`. Only they have names of OpenCL C.
//!
//! # Example
//!
//! This kernel adds one to a number:
//!
//! ```text
//!                OpCapability Addresses
//!                OpCapability Kernel
//!           %1 = OpExtInstImport "OpenCL.std"
//!                OpMemoryModel Physical64 OpenCL
//!                OpEntryPoint Kernel %7 "increment"
//!                OpName %8 "x"
//!                OpDecorate %8 FuncParamAttr NoCapture
//!           %2 = OpTypeVoid
//!           %3 = OpTypeInt 32 0
//!           %4 = OpTypePointer CrossWorkgroup %3
//!           %5 = OpTypeFunction %2 %4
//!           %6 = OpConstant %3 1
//!           %7 = OpFunction %2 None %5
//!           %8 = OpFunctionParameter %4
//!           %9 = OpLabel
//!          %10 = OpLoad %3 %8 Aligned 4
//!          %11 = OpIAdd %3 %10 %6
//!                OpStore %8 %11 Aligned 4
//!                OpReturn
//!                OpFunctionEnd
//! ```

mod arg_strings;
mod chain;
mod constants;
mod decorations;
pub mod device;
mod error;
pub mod float;
mod globals;
pub mod grammar;
mod kernels;
mod module;
mod operands;
mod print;
mod read;
pub mod request;
mod specialize;
mod terminators;
mod translate;
mod types;
mod validate;

pub use error::{BuildMessage, FormError, Messages, Rule, SourceLine, Subject};
pub use grammar::Opcode;
pub use kernels::{Kernel, KernelModes, KernelParam, ParamAccess, ParamKind};
pub use module::{Annotation, FunctionRange, HEADER, Id, Module, NumberType};
pub use print::{Disassembly, Style};
pub use request::Request;
pub use specialize::SpecValues;
pub use translate::{EnqueuedFunction, Import, Machine, Translated, translate};

/// First word of a module.
pub const MAGIC: u32 = 0x0723_0203;

/// Maximum bound of ids, a universal limit of SPIR-V (s2.17).
pub const MAX_BOUND: u32 = 4_194_303;
