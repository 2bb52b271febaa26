//! Programs: build, compilation, link, queries.

use std::ffi::{CString, c_char};
use std::ptr;

use super::functions::Handle;
use super::kernel::Kernel;
use super::session::Session;
use super::{
    CL_PROGRAM_BINARIES, CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_BUILD_LOG, CL_PROGRAM_KERNEL_NAMES, bytes,
    check, error_name, number, text,
};
use crate::problem::{Problem, Result};

/// Program.
pub struct Program<'s> {
    pub(super) session: &'s Session,
    pub(super) id: Handle,
}

/// Outcome of a build, a compilation or a link.
pub struct BuildResult {
    /// Name of the error code, if the build failed.
    pub error: Option<String>,
    /// The build log.
    pub log: String,
}

/// Converts options to a C string.
fn options_text(options: &str) -> Result<CString> {
    CString::new(options).map_err(|_| Problem::Input("an option has a zero byte".into()))
}

impl<'s> Program<'s> {
    pub(super) fn of_source(session: &'s Session, source: &str) -> Result<Program<'s>> {
        let (mut start, length, mut code) = (source.as_ptr().cast::<c_char>(), source.len(), 0);
        // A length of 0 means that the text is zero-terminated.
        if length == 0 {
            start = c"".as_ptr();
        }
        // SAFETY: one text is passed with its length.
        let id = unsafe {
            (session.device.functions.clCreateProgramWithSource)(
                session.context,
                1,
                &mut start,
                &length,
                &mut code,
            )
        };
        check("clCreateProgramWithSource", code)?;
        Ok(Program { session, id })
    }

    pub(super) fn of_binary(session: &'s Session, binary: &[u8]) -> Result<Program<'s>> {
        let (mut start, length, mut status, mut code) = (binary.as_ptr(), binary.len(), 0, 0);
        // SAFETY: one device of the context and one binary with its length are passed.
        let id = unsafe {
            (session.device.functions.clCreateProgramWithBinary)(
                session.context,
                1,
                &session.device.id,
                &length,
                &mut start,
                &mut status,
                &mut code,
            )
        };
        check("clCreateProgramWithBinary", code)?;
        Ok(Program { session, id })
    }

    /// Calls clBuildProgram.
    ///
    /// # Errors
    /// If the options contain a zero byte. A failure of the build itself is reported in [`BuildResult`].
    pub fn build(&self, options: &str) -> Result<BuildResult> {
        let options = options_text(options)?;
        // SAFETY: the device belongs to the context, the options are zero-terminated, and there is no callback.
        let code = unsafe {
            let device = &raw const self.session.device.id;
            (self.session.device.functions.clBuildProgram)(
                self.id,
                1,
                device,
                options.as_ptr(),
                None,
                ptr::null_mut(),
            )
        };
        Ok(self.built(code))
    }

    /// Calls clCompileProgram without headers.
    ///
    /// # Errors
    /// If the options contain a zero byte, as for [`Program::build`].
    pub fn compile(&self, options: &str) -> Result<BuildResult> {
        self.compile_with(options, &[])
    }

    /// Calls clCompileProgram with headers, under the names that `#include` uses.
    ///
    /// # Errors
    /// If the options or a name contain a zero byte, as for [`Program::build`].
    pub fn compile_with(&self, options: &str, headers: &[(String, Program<'_>)]) -> Result<BuildResult> {
        let options = options_text(options)?;
        let texts: Vec<CString> =
            headers.iter().map(|(name, _)| options_text(name)).collect::<Result<_>>()?;
        let mut names: Vec<*const c_char> = texts.iter().map(|name| name.as_ptr()).collect();
        let handles: Vec<Handle> = headers.iter().map(|(_, header)| header.id).collect();
        let is_none = headers.is_empty();
        // SAFETY: the device belongs to the context, the options are zero-terminated, and there is no callback;
        // there are as many programs as names, which are zero-terminated and outlive the call.
        let code = unsafe {
            let device = &raw const self.session.device.id;
            (self.session.device.functions.clCompileProgram)(
                self.id,
                1,
                device,
                options.as_ptr(),
                headers.len() as u32,
                if is_none { ptr::null() } else { handles.as_ptr() },
                if is_none { ptr::null_mut() } else { names.as_mut_ptr() },
                None,
                ptr::null_mut(),
            )
        };
        Ok(self.built(code))
    }

    /// Calls clLinkProgram. Returns the linked program, if one was created, and the outcome.
    ///
    /// # Errors
    /// If the options contain a zero byte, as for [`Program::build`].
    pub fn link(parts: &[Program<'s>], options: &str) -> Result<(Option<Program<'s>>, BuildResult)> {
        let session = parts.first().ok_or_else(|| Problem::Input("nothing to link".into()))?.session;
        let options = options_text(options)?;
        let ids: Vec<Handle> = parts.iter().map(|part| part.id).collect();
        let mut code = 0;
        // SAFETY: the device and the programs belong to the context, the options are zero-terminated, and there is
        // no callback.
        let id = unsafe {
            (session.device.functions.clLinkProgram)(
                session.context,
                1,
                &session.device.id,
                options.as_ptr(),
                ids.len() as u32,
                ids.as_ptr(),
                None,
                ptr::null_mut(),
                &mut code,
            )
        };
        if id.is_null() {
            return Ok((None, BuildResult { error: Some(error_name(code)), log: String::new() }));
        }
        let program = Program { session, id };
        let built = program.built(code);
        Ok((Some(program), built))
    }

    fn built(&self, code: i32) -> BuildResult {
        let log = self.build_info(CL_PROGRAM_BUILD_LOG).map(text).unwrap_or_default();
        BuildResult { error: (code != 0).then(|| error_name(code)), log }
    }

    /// Returns the result of clGetProgramBuildInfo.
    ///
    /// # Errors
    /// If the vendor does not support the query.
    pub fn build_info(&self, what: u32) -> Result<Vec<u8>> {
        let (functions, device) = (self.session.device.functions, self.session.device.id);
        bytes("clGetProgramBuildInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or `to` is null.
            unsafe { (functions.clGetProgramBuildInfo)(self.id, device, what, size, to, got) }
        })
    }

    fn info(&self, what: u32) -> Result<Vec<u8>> {
        bytes("clGetProgramInfo", |size, to, got| {
            // SAFETY: there is room for `size` bytes, or `to` is null.
            unsafe { (self.session.device.functions.clGetProgramInfo)(self.id, what, size, to, got) }
        })
    }

    /// Returns the program's binary.
    ///
    /// # Errors
    /// If there is none.
    pub fn to_binary(&self) -> Result<Vec<u8>> {
        let size = number(&self.info(CL_PROGRAM_BINARY_SIZES)?) as usize;
        let mut binary = vec![0u8; size];
        let mut to = [binary.as_mut_ptr()];
        // SAFETY: the context has one device, so one address is read and one binary is written, for which there is
        // room.
        check("CL_PROGRAM_BINARIES", unsafe {
            let list = to.as_mut_ptr().cast();
            let size = size_of::<*mut u8>();
            (self.session.device.functions.clGetProgramInfo)(
                self.id,
                CL_PROGRAM_BINARIES,
                size,
                list,
                ptr::null_mut(),
            )
        })?;
        Ok(binary)
    }

    /// Returns the names of the program's kernels, in the vendor's order.
    ///
    /// # Errors
    /// If the program is not built.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let names = text(self.info(CL_PROGRAM_KERNEL_NAMES)?);
        Ok(names.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// Creates a kernel by name.
    ///
    /// # Errors
    /// If the program has no kernel of this name.
    pub fn kernel(&self, name: &str) -> Result<Kernel<'s>> {
        let text =
            CString::new(name).map_err(|_| Problem::Input("a kernel's name has no zero byte".into()))?;
        let mut code = 0;
        // SAFETY: the name is zero-terminated.
        let id = unsafe { (self.session.device.functions.clCreateKernel)(self.id, text.as_ptr(), &mut code) };
        check(&format!("clCreateKernel of {name}"), code)?;
        Ok(Kernel { session: self.session, id })
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is owned by this value.
        unsafe { (self.session.device.functions.clReleaseProgram)(self.id) };
    }
}
