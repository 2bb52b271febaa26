//! Pipes (API s5.4).

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::error::Error;
use grus_core::runtime::memory::Mem;

use crate::arg::{Handle, In};
use crate::boundary::entry;

entry! {
    /// s5.4.1
    fn clCreatePipe(
        context: Handle<Context>,
        flags: cl_mem_flags,
        pipe_packet_size: cl_uint,
        pipe_max_packets: cl_uint,
        properties: In<cl_pipe_properties>,
    ) -> create Mem {
        let context = context.get()?;
        // OpenCL 2.0 defines no properties of pipes.
        if !properties.is_null() {
            return Err(Error::InvalidValue);
        }
        Mem::create_pipe(&context, flags, pipe_packet_size, pipe_max_packets)
    }
}

entry! {
    /// s5.4.2
    fn clGetPipeInfo(pipe: Handle<Mem>, param_name: cl_pipe_info) -> info |out| {
        let mem = pipe.get()?;
        let pipe = mem.pipe()?;
        match param_name {
            CL_PIPE_PACKET_SIZE => out.write::<cl_uint>(pipe.packet_size),
            CL_PIPE_MAX_PACKETS => out.write::<cl_uint>(pipe.max_packets),
            CL_PIPE_PROPERTIES => out.array::<cl_pipe_properties>(&[]),
            _ => Err(Error::InvalidValue),
        }
    }
}
