//! Programs (API s5.8).

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::Arc;

use grus_core::cl::*;
use grus_core::runtime::context::Context;
use grus_core::runtime::device::Device;
use grus_core::runtime::error::{Error, Result};
use grus_core::runtime::object::Object;
use grus_core::runtime::program::{Build, Program};

use crate::arg::{Handle, Handles, In, InStr, Memory, OutArray, reserve};
use crate::boundary::{Create, entry};
use crate::callback;

entry! {
    /// s5.8.1
    fn clCreateProgramWithSource(
        context: Handle<Context>,
        count: cl_uint,
        strings: In<InStr>,
        lengths: In<usize>,
    ) -> create Program {
        let context = context.get()?;
        let strings = strings.array(count).ok_or(Error::InvalidValue)?;
        if count == 0 {
            return Err(Error::InvalidValue);
        }
        let mut source = Vec::new();
        for (i, string) in strings.iter().enumerate() {
            let length = lengths.array(count).map_or(0, |lengths| lengths[i]);
            let bytes = string.bytes(length).ok_or(Error::InvalidValue)?;
            reserve(&mut source, bytes.len())?;
            source.extend(bytes);
        }
        // Nulls within the strings are stripped.
        source.retain(|&byte| byte != 0);
        // Invalid UTF-8 is replaced.
        let source = String::from_utf8(source).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into());
        Ok(Program::with_source(&context, source))
    }
}

/// Returns the list of devices of a function on programs. NULL stands for all devices.
fn device_list(count: cl_uint, list: &Handles<Device>) -> Result<Option<Vec<Arc<Object<Device>>>>> {
    // `device_list` is NULL and `num_devices` above 0, or vice versa.
    if list.is_null() != (count == 0) {
        return Err(Error::InvalidValue);
    }
    if list.is_null() { Ok(None) } else { list.get(count).map(Some) }
}

entry! {
    /// s5.8.1
    fn clCreateProgramWithBinary(
        context: Handle<Context>,
        num_devices: cl_uint,
        device_list: Handles<Device>,
        lengths: In<usize>,
        binaries: In<Memory>,
        binary_status: OutArray<cl_int>,
    ) -> create Program {
        let context = context.get()?;
        if num_devices == 0 || device_list.is_null() {
            return Err(Error::InvalidValue);
        }
        let devices: Vec<_> = device_list.get(num_devices)?;
        if devices.iter().any(|device| !context.has_device(device)) {
            return Err(Error::InvalidDevice);
        }
        let lengths = lengths.array(num_devices).ok_or(Error::InvalidValue)?;
        let binaries = binaries.array(num_devices).ok_or(Error::InvalidValue)?;
        let pairs = binaries.iter().zip(lengths);
        let found: Vec<Option<&[u8]>> =
            pairs.map(|(memory, &length)| memory.bytes(length).filter(|b| !b.is_empty())).collect();
        // A binary is missing.
        if found.iter().any(Option::is_none) {
            let code = |f: &Option<&[u8]>| if f.is_some() { CL_SUCCESS } else { CL_INVALID_VALUE };
            binary_status.write(found.iter().map(code), devices.len());
            return Err(Error::InvalidValue);
        }
        let found: Vec<&[u8]> = found.into_iter().flatten().collect();
        let (program, statuses) = Program::with_binaries(&context, &devices, &found);
        let codes = statuses.iter().map(|s| s.map_or_else(Error::code, |()| CL_SUCCESS));
        binary_status.write(codes, devices.len());
        program
    }
}

entry! {
    /// s5.8.1: there are no built-in kernels, so every name is unknown.
    fn clCreateProgramWithBuiltInKernels(
        context: Handle<Context>,
        num_devices: cl_uint,
        device_list: Handles<Device>,
        kernel_names: InStr,
    ) -> create Program {
        let context = context.get()?;
        if num_devices == 0 || device_list.is_null() || kernel_names.get().is_none() {
            return Err(Error::InvalidValue);
        }
        let devices: Vec<_> = device_list.get(num_devices)?;
        if devices.iter().any(|device| !context.has_device(device)) {
            return Err(Error::InvalidDevice);
        }
        Err(Error::InvalidValue)
    }
}

entry! {
    /// s5.8.1
    fn clRetainProgram(program: Handle<Program>) -> status {
        program.get()?.retain();
        Ok(())
    }
}

entry! {
    /// s5.8.1
    fn clReleaseProgram(program: Handle<Program>) -> status {
        program.get()?.release()
    }
}

entry! {
    /// s5.8.2. With a callback the build may be asynchronous; here it is synchronous, and the callback is called at
    /// its end.
    fn clBuildProgram(
        program: Handle<Program>,
        num_devices: cl_uint,
        device_list: Handles<Device>,
        options: InStr,
        pfn_notify: Option<ProgramNotify>,
        user_data: Memory,
    ) -> status {
        let program = program.get()?;
        let devices = self::device_list(num_devices, &device_list)?;
        // `pfn_notify` is NULL and `user_data` is not.
        if pfn_notify.is_none() && !user_data.is_null() {
            return Err(Error::InvalidValue);
        }
        let result = program.build(devices.as_deref(), &options.get().unwrap_or_default());
        if has_run(&result) {
            callback::program_built(pfn_notify, program.handle(), user_data);
        }
        result
    }
}

/// Checks whether a build with this result has started; the callback is only called then.
fn has_run(result: &Result<()>) -> bool {
    !matches!(result, Err(Error::InvalidDevice | Error::InvalidOperation | Error::InvalidContext))
}

entry! {
    /// s5.8.3
    fn clCompileProgram(
        program: Handle<Program>,
        num_devices: cl_uint,
        device_list: Handles<Device>,
        options: InStr,
        num_input_headers: cl_uint,
        input_headers: Handles<Program>,
        header_include_names: In<InStr>,
        pfn_notify: Option<ProgramNotify>,
        user_data: Memory,
    ) -> status {
        let program = program.get()?;
        let devices = self::device_list(num_devices, &device_list)?;
        // Headers and their names are both given or both missing.
        let none = num_input_headers == 0;
        if input_headers.is_null() != none || header_include_names.is_null() != none {
            return Err(Error::InvalidValue);
        }
        // `pfn_notify` is NULL and `user_data` is not.
        if pfn_notify.is_none() && !user_data.is_null() {
            return Err(Error::InvalidValue);
        }
        let texts: Vec<_> = input_headers.get(num_input_headers)?;
        let names = header_include_names.array(num_input_headers).unwrap_or(&[]);
        let names = names.iter().map(|name| name.get().map(Cow::into_owned).ok_or(Error::InvalidValue));
        let headers: Vec<_> =
            names.zip(texts).map(|(name, text)| Ok((name?, text))).collect::<Result<_>>()?;
        let result = program.compile(devices.as_deref(), &headers, &options.get().unwrap_or_default());
        if has_run(&result) {
            callback::program_built(pfn_notify, program.handle(), user_data);
        }
        result
    }
}

entry! {
    /// s5.8.3. With a callback the link may be asynchronous; here it is synchronous, and the callback is called at
    /// its end.
    fn clLinkProgram(
        context: Handle<Context>,
        num_devices: cl_uint,
        device_list: Handles<Device>,
        options: InStr,
        num_input_programs: cl_uint,
        input_programs: Handles<Program>,
        pfn_notify: Option<ProgramNotify>,
        user_data: Memory,
    ) -> create Linked {
        let context = context.get()?;
        let devices = self::device_list(num_devices, &device_list)?;
        if devices.iter().flatten().any(|device| !context.has_device(device)) {
            return Err(Error::InvalidDevice);
        }
        if num_input_programs == 0 || input_programs.is_null() {
            return Err(Error::InvalidValue);
        }
        // `pfn_notify` is NULL and `user_data` is not.
        if pfn_notify.is_none() && !user_data.is_null() {
            return Err(Error::InvalidValue);
        }
        let programs: Vec<_> = input_programs.get(num_input_programs)?;
        let options = options.get().unwrap_or_default();
        let (program, outcome) = Program::link(&context, devices.as_deref(), &options, &programs)?;
        // With a callback, the code only says whether the link could begin.
        let outcome = if pfn_notify.is_some() { Ok(()) } else { outcome };
        Ok(Linked { program, outcome, notify: pfn_notify, user_data })
    }
}

/// Program from clLinkProgram, which is returned even if linking failed.
struct Linked {
    program: Arc<Object<Program>>,
    outcome: Result<()>,
    notify: Option<ProgramNotify>,
    user_data: Memory,
}

impl Create for Linked {
    type Created = Self;

    fn hand_out(made: Self) -> (*mut c_void, Result<()>) {
        let handle = made.program.publish();
        // The handle is live from here on, so the callback can use it.
        callback::program_built(made.notify, handle, made.user_data);
        (handle, made.outcome)
    }
}

entry! {
    /// s5.8.7
    fn clGetProgramInfo(program: Handle<Program>, param_name: cl_program_info) -> info |out| {
        let program = program.get()?;
        match param_name {
            CL_PROGRAM_REFERENCE_COUNT => out.write::<cl_uint>(program.api_refs()),
            CL_PROGRAM_CONTEXT => out.write::<cl_context>(program.context().handle()),
            CL_PROGRAM_NUM_DEVICES => out.write::<cl_uint>(program.devices().len() as cl_uint),
            CL_PROGRAM_DEVICES => {
                let handles: Vec<_> = program.devices().iter().map(|d| d.handle()).collect();
                out.array::<cl_device_id>(&handles)
            }
            CL_PROGRAM_SOURCE => out.string(program.source()),
            CL_PROGRAM_BINARY_SIZES => {
                let sizes: Vec<_> = binaries(&program)?.iter().map(|binary| binary.len()).collect();
                out.array::<usize>(&sizes)
            }
            CL_PROGRAM_BINARIES => out.blobs(&binaries(&program)?),
            CL_PROGRAM_NUM_KERNELS => out.write::<usize>(program.kernel_names()?.len()),
            CL_PROGRAM_KERNEL_NAMES => out.string(&program.kernel_names()?.join(";")),
            CL_PROGRAM_IL => out.array::<u8>(&program.il()?.unwrap_or_default()),
            // Variables have no constructors.
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                program.kernel_names()?;
                out.write::<cl_bool>(CL_FALSE)
            }
            _ => Err(Error::InvalidValue),
        }
    }
}

/// Returns the binaries for all devices; empty for a device without one.
fn binaries(program: &Program) -> Result<Vec<Arc<[u8]>>> {
    program.builds().iter().map(Build::binary).collect()
}

entry! {
    /// s5.8.7
    fn clGetProgramBuildInfo(
        program: Handle<Program>,
        device: Handle<Device>,
        param_name: cl_program_build_info,
    ) -> info |out| {
        let program = program.get()?;
        let build = program.build_for(&*device.get()?)?;
        match param_name {
            CL_PROGRAM_BUILD_STATUS => out.write::<cl_build_status>(build.status),
            CL_PROGRAM_BUILD_OPTIONS => out.string(&build.options),
            CL_PROGRAM_BUILD_LOG => out.string(&build.log),
            CL_PROGRAM_BINARY_TYPE => out.write::<cl_program_binary_type>(build.binary_type()),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                out.write::<usize>(build.global_variable_size() as usize)
            }
            // Queries of Grus itself: docs/grus.md.
            CL_PROGRAM_BUILD_PREPROCESSED_GRUS => {
                out.string(&program.preprocessed(&build)?.map(|read| read.text).unwrap_or_default())
            }
            CL_PROGRAM_BUILD_INCLUDED_FILES_GRUS => {
                out.string(&program.preprocessed(&build)?.map(|read| read.files.join("\n")).unwrap_or_default())
            }
            CL_PROGRAM_BUILD_IR_GRUS => out.string(&build.ir()),
            _ => Err(Error::InvalidValue),
        }
    }
}
