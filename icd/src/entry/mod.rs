//! Entry points, in one file for each chapter of the specification.

mod buffer;
mod context;
mod device;
mod enqueue;
mod event;
mod il;
mod image;
mod kernel;
mod later;
mod pipe;
mod platform;
mod program;
mod queue;
mod sampler;
mod sharing;
mod svm;
mod usm;

// The dispatch table names 150 functions and should not depend on their files.
pub use buffer::*;
pub use context::*;
pub use device::*;
pub use enqueue::*;
pub use event::*;
pub use il::*;
pub use image::*;
pub use kernel::*;
pub use later::*;
pub use pipe::*;
pub use platform::*;
pub use program::*;
pub use queue::*;
pub use sampler::*;
pub use sharing::*;
pub use svm::*;
pub use usm::*;
