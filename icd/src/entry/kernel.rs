//! Kernels (API s5.9).

use grus_core::cl::*;
use grus_core::compile::{ArgAccess, ArgInfo, ArgKind};
use grus_core::runtime::device::{Device, PREFERRED_WORK_GROUP_MULTIPLE};
use grus_core::runtime::error::Error;
use grus_core::runtime::kernel::Kernel;
use grus_core::runtime::program::Program;

use crate::arg::{Handle, InStr, Memory, Out, OutArray};
use crate::boundary::entry;

entry! {
    /// s5.9.1
    fn clCreateKernel(program: Handle<Program>, kernel_name: InStr) -> create Kernel {
        let program = program.get()?;
        let name = kernel_name.get().ok_or(Error::InvalidValue)?;
        program.create_kernel(&name)
    }
}

entry! {
    /// s5.9.1
    fn clCreateKernelsInProgram(
        program: Handle<Program>,
        num_kernels: cl_uint,
        kernels: OutArray<cl_kernel>,
        num_kernels_ret: Out<cl_uint>,
    ) -> status {
        let program = program.get()?;
        let names = program.kernel_names()?;
        let count = names.len();
        if !kernels.is_null() {
            // `num_kernels` is too small.
            if (num_kernels as usize) < count {
                return Err(Error::InvalidValue);
            }
            let made = program.create_kernels(&names)?;
            kernels.write(made.iter().map(|kernel| kernel.publish()), count);
        }
        num_kernels_ret.set(count as cl_uint);
        Ok(())
    }
}

entry! {
    /// s5.9.1 (2.1)
    fn clCloneKernel(source_kernel: Handle<Kernel>) -> create Kernel {
        Ok(source_kernel.get()?.duplicate())
    }
}

entry! {
    /// s5.9.1
    fn clRetainKernel(kernel: Handle<Kernel>) -> status {
        kernel.get()?.retain();
        Ok(())
    }
}

entry! {
    /// s5.9.1
    fn clReleaseKernel(kernel: Handle<Kernel>) -> status {
        kernel.get()?.release()
    }
}

entry! {
    /// s5.9.2
    fn clSetKernelArg(
        kernel: Handle<Kernel>,
        arg_index: cl_uint,
        arg_size: usize,
        arg_value: Memory,
    ) -> status {
        kernel.get()?.set_arg(arg_index, arg_size, arg_value.bytes(arg_size))
    }
}

entry! {
    /// s5.9.3
    fn clGetKernelInfo(kernel: Handle<Kernel>, param_name: cl_kernel_info) -> info |out| {
        let kernel = kernel.get()?;
        match param_name {
            CL_KERNEL_FUNCTION_NAME => out.string(&kernel.info().name),
            CL_KERNEL_NUM_ARGS => out.write::<cl_uint>(kernel.info().args.len() as cl_uint),
            CL_KERNEL_REFERENCE_COUNT => out.write::<cl_uint>(kernel.api_refs()),
            CL_KERNEL_CONTEXT => out.write::<cl_context>(kernel.context().handle()),
            CL_KERNEL_PROGRAM => out.write::<cl_program>(kernel.program().handle()),
            CL_KERNEL_ATTRIBUTES => out.string(&kernel.info().attributes),
            _ => Err(Error::InvalidValue),
        }
    }
}

/// Returns CL_KERNEL_ARG_ADDRESS_QUALIFIER.
fn address_qualifier(arg: &ArgInfo) -> cl_kernel_arg_address_qualifier {
    match arg.kind {
        ArgKind::Value { .. } => CL_KERNEL_ARG_ADDRESS_PRIVATE,
        ArgKind::Global => CL_KERNEL_ARG_ADDRESS_GLOBAL,
        ArgKind::Constant => CL_KERNEL_ARG_ADDRESS_CONSTANT,
        ArgKind::Local => CL_KERNEL_ARG_ADDRESS_LOCAL,
        // Images and pipes are in global memory; samplers and queues are values.
        ArgKind::Image(_) | ArgKind::Pipe { .. } => CL_KERNEL_ARG_ADDRESS_GLOBAL,
        ArgKind::Sampler | ArgKind::Queue => CL_KERNEL_ARG_ADDRESS_PRIVATE,
    }
}

/// Returns CL_KERNEL_ARG_ACCESS_QUALIFIER.
fn access_qualifier(access: ArgAccess) -> cl_kernel_arg_access_qualifier {
    match access {
        ArgAccess::ReadOnly => CL_KERNEL_ARG_ACCESS_READ_ONLY,
        ArgAccess::WriteOnly => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        ArgAccess::ReadWrite => CL_KERNEL_ARG_ACCESS_READ_WRITE,
        ArgAccess::None => CL_KERNEL_ARG_ACCESS_NONE,
    }
}

fn type_qualifier(arg: &ArgInfo) -> cl_kernel_arg_type_qualifier {
    let bit = |set: bool, bit: cl_kernel_arg_type_qualifier| {
        if set { bit } else { CL_KERNEL_ARG_TYPE_NONE }
    };
    bit(arg.is_const, CL_KERNEL_ARG_TYPE_CONST)
        | bit(arg.is_restrict, CL_KERNEL_ARG_TYPE_RESTRICT)
        | bit(arg.is_volatile, CL_KERNEL_ARG_TYPE_VOLATILE)
        | bit(arg.is_pipe, CL_KERNEL_ARG_TYPE_PIPE)
}

entry! {
    /// s5.9.3
    fn clGetKernelArgInfo(
        kernel: Handle<Kernel>,
        arg_index: cl_uint,
        param_name: cl_kernel_arg_info,
    ) -> info |out| {
        let kernel = kernel.get()?;
        let arg = kernel.arg_info(arg_index)?;
        match param_name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => {
                out.write::<cl_kernel_arg_address_qualifier>(address_qualifier(arg))
            }
            CL_KERNEL_ARG_ACCESS_QUALIFIER => {
                out.write::<cl_kernel_arg_access_qualifier>(access_qualifier(arg.access))
            }
            CL_KERNEL_ARG_TYPE_NAME => out.string(&arg.type_name),
            CL_KERNEL_ARG_TYPE_QUALIFIER => {
                out.write::<cl_kernel_arg_type_qualifier>(type_qualifier(arg))
            }
            CL_KERNEL_ARG_NAME => out.string(&arg.name),
            _ => Err(Error::InvalidValue),
        }
    }
}

entry! {
    /// s5.9.3
    fn clGetKernelWorkGroupInfo(
        kernel: Handle<Kernel>,
        device: Handle<Device>,
        param_name: cl_kernel_work_group_info,
    ) -> info |out| {
        let kernel = kernel.get()?;
        // NULL stands for the kernel's only device. A device for which the kernel was not built is invalid.
        let device = kernel.device(device.get_or_null()?)?;
        let info = kernel.info_on(&device)?;
        match param_name {
            // The query is only valid for built-in kernels and custom devices.
            CL_KERNEL_GLOBAL_WORK_SIZE => Err(Error::InvalidValue),
            CL_KERNEL_WORK_GROUP_SIZE => out.write::<usize>(kernel.max_work_group_size(&device)?),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                let size = info.reqd_work_group_size.unwrap_or([0; 3]);
                out.write::<[usize; 3]>(size.map(|n| n as usize))
            }
            CL_KERNEL_LOCAL_MEM_SIZE => out.write::<cl_ulong>(kernel.local_mem_size(&device)?),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                out.write::<usize>(PREFERRED_WORK_GROUP_MULTIPLE)
            }
            CL_KERNEL_PRIVATE_MEM_SIZE => out.write::<cl_ulong>(info.private_mem_size),
            CL_KERNEL_SPILL_MEM_SIZE_INTEL => out.write::<cl_ulong>(kernel.spill_mem_size(&device)?),
            _ => Err(Error::InvalidValue),
        }
    }
}
