//! OpenCL C → typed tree. Knows nothing of IR or of the API.

pub mod tree;
pub mod types;
