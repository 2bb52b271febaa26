//! Programs in an intermediate language, SPIR-V (API s5.8.1, cl_khr_il_program).

use std::sync::Arc;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::object::Object;
use grus_core::runtime::program::Program;

use crate::arg::{Handle, Memory};
use crate::boundary::entry;

fn create(context: &Handle<Context>, il: &Memory, length: usize) -> Result<Arc<Object<Program>>> {
    let context = context.get()?;
    let bytes = il.bytes(length).filter(|bytes| !bytes.is_empty()).ok_or(Error::InvalidValue)?;
    Program::with_il(&context, bytes)
}

entry! {
    /// s5.8.1 (2.1)
    fn clCreateProgramWithIL(context: Handle<Context>, il: Memory, length: usize) -> create Program {
        create(&context, &il, length)
    }
}

entry! {
    /// cl_khr_il_program
    fn clCreateProgramWithILKHR(context: Handle<Context>, il: Memory, length: usize) -> create Program {
        create(&context, &il, length)
    }
}

entry! {
    /// s5.8.1 (2.2)
    fn clSetProgramSpecializationConstant(
        program: Handle<Program>,
        spec_id: cl_uint,
        spec_size: usize,
        spec_value: Memory,
    ) -> status {
        let program = program.get()?;
        // The size is compared before the value is read.
        if spec_size != program.size_of_constant(spec_id)? {
            return Err(Error::InvalidValue);
        }
        let bytes = spec_value.bytes(spec_size).ok_or(Error::InvalidValue)?;
        let mut value = [0; size_of::<u64>()];
        value[..bytes.len()].copy_from_slice(bytes);
        program.set_constant(spec_id, u64::from_le_bytes(value));
        Ok(())
    }
}
