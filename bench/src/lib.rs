//! Code shared by the demo and the benchmarks: a small OpenCL client, tables, and the suite.
//!
//! The programs in `bin/` measure every device that the ICD loader finds, so that Grus and its peers run side by side.
//! They know the C API only. `docs/performance.md` says what each of them measures and how.
//!
//! ```ignore
//! for device in Device::all()? {
//!     let session = Session::new(device)?;
//!     let program = session.build("kernel void f(global int *x) { x[get_global_id(0)] = 1; }", "")?;
//!     let buffer = session.buffer(4096)?;
//!     // ... arguments, then:
//!     session.enqueue(&kernel, &[1024], None)?;
//!     session.finish()?;
//! }
//! ```
//!
//! - [`client`]: devices, sessions, programs, buffers, with errors as text.
//! - [`table`]: columns of figures, aligned or as Markdown.
//! - [`transfer`]: copies between host and device, and checks of what arrived.
//! - [`process`]: processor time and memory of this process.
//! - [`suite`]: the workloads, the processes that measure them in turns, and the report.

pub mod client;
pub mod process;
pub mod suite;
pub mod table;
pub mod transfer;
