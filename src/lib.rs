//! Grus: an OpenCL runtime whose device is the CPU.
//!
//! This crate and those that it depends on are the library without its C ABI. `icd` exports it as `libgrus.so`, which
//! an ICD loader loads. Tools, benchmarks and conformance tests use the C API only.
//!
//! `ARCHITECTURE.md` has the pipeline, a worked example and a glossary. The page of each crate and module says what
//! goes in and comes out, and where to begin.
//!
//! # Layers
//!
//! Cargo keeps the layers between crates. The table `LAYERS` in `tests/tidy.rs` says which module of a crate may use
//! which, and a test checks it.
//!
//! ```text
//! icd                 C ABI: reads the caller's memory, turns errors into codes
//!   │
//! grus: runtime       objects of the API, queues, events, memory objects       cl: constants, C types
//!   │
//! grus: compile       source → artifact → machine code
//!   │
//!   ├── grus-clc      OpenCL C → typed tree
//!   ├── grus: lower   typed tree → IR
//!   ├── grus-passes   IR of one work-item → IR of a work-group, vectorized
//!   ├── grus-exec     ND-range → work-groups → threads, device-side enqueue
//!   └── grus-codegen  IR → machine code                                        rtlib: functions that code calls
//!                                                                              jit: executable memory
//! grus-ir             SSA, verifier, interpreter                               image: formats, texels
//! grus-support        ids, locks, threads, fork                                diag: positions, build log
//! ```
//!
//! # A build and a launch
//!
//! | Call of the API | Work |
//! |---|---|
//! | `clBuildProgram` | [`compile::build`]: [`clc::analyze_on_current_stack`], [`lower::lower`], [`passes::optimize_program`] |
//! | `clEnqueueNDRangeKernel` | `Queue::launch` in [`runtime::launch`], which finds or makes the kernel's code |
//! | first launch with these facts | [`passes::form_group_code`], [`codegen::compile`], [`jit::place`] |
//! | `clFinish` | [`exec::Runner::run`], on the thread that waits, and on workers if that pays |
//!
//! The same by hand, for a kernel that doubles numbers:
//!
//! ```ignore
//! let text = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }";
//! let source = Source { name: "twice.cl".into(), text: text.into() };
//! let artifact = compile::build(&source, &[], "").result.expect("no errors");
//! let kernel = artifact.compiled(0).expect("machine code");
//! let mut x = [1, 2, 3, 4];
//! let mut args = ArgBlock::zeroed(8);
//! args.put(0, &x.as_mut_ptr().expose_provenance().to_ne_bytes());
//! let range = NdRange { work_dim: 1, offset: [0; 3], global: [4, 1, 1], local: [4, 1, 1] };
//! exec::run(&kernel, &Launch::new(&kernel, range, args, []), None).expect("no fault");
//! assert_eq!(x, [2, 4, 6, 8]);
//! ```
//!
//! # Invariants
//!
//! - The front end does not know the IR, and `ir` does not know OpenCL C.
//! - Nothing below `runtime` knows an error code of the API.
//! - A typed tree is correct; everything that can be wrong with a program is reported before lowering.
//! - The interpreter ([`ir::interp`]) defines the meaning of IR, and machine code is tested against it.
//! - After the passes a kernel is a function of one pointer, [`ir::abi::GroupContext`].
//! - Panics do not reach the application: they become an error, a log or a failed event ([`support::bug`]).

pub mod cl;
pub mod compile;
pub mod lower;
pub mod runtime;

pub use grus_codegen::{self as codegen, jit, rtlib};
pub use grus_ir::{self as ir, image};
pub use grus_support::{self as support, diag};
pub use {grus_clc as clc, grus_exec as exec, grus_passes as passes};
