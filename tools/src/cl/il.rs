//! Programs in an intermediate language: functions of versions 2.1 and 2.2, which vendors of other versions may have
//! as functions of extensions.

use std::ffi::{CStr, c_void};

use super::check;
use super::functions::{CreateProgramWithIl, Functions21, Functions22, SetConstant};
use super::program::Program;
use super::session::Session;
use super::vendor::Device;
use crate::problem::{Problem, Result, failed};

impl Device {
    /// Returns the address of an extension function, or of another function that the vendor gives this way; null if
    /// there is none.
    fn extension(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the platform is that of the functions, and the name is zero-terminated.
        unsafe { (self.functions.clGetExtensionFunctionAddressForPlatform)(self.platform, name.as_ptr()) }
    }

    fn create_program_with_il(&self) -> Result<CreateProgramWithIl> {
        if self.version() >= (2, 1) {
            // SAFETY: the platform supports version 2.1.
            let functions = unsafe { Functions21::of(self.platform) }.map_err(Problem::Failed)?;
            return Ok(functions.clCreateProgramWithIL);
        }
        let found = self.extension(c"clCreateProgramWithILKHR");
        // SAFETY: null becomes `None`; cl_khr_il_program gives the function this type.
        let found = unsafe { std::mem::transmute::<*mut c_void, Option<CreateProgramWithIl>>(found) };
        found.ok_or_else(|| Problem::Failed(format!("{} takes no SPIR-V", self.name())))
    }

    fn set_constant(&self) -> Result<SetConstant> {
        if self.version() >= (2, 2) {
            // SAFETY: the platform supports version 2.2.
            let functions = unsafe { Functions22::of(self.platform) }.map_err(Problem::Failed)?;
            return Ok(functions.clSetProgramSpecializationConstant);
        }
        let found = self.extension(c"clSetProgramSpecializationConstant");
        // SAFETY: null becomes `None`; the specification gives the function this type.
        let found = unsafe { std::mem::transmute::<*mut c_void, Option<SetConstant>>(found) };
        found.ok_or_else(|| Problem::Failed(format!("{} has no specialization constants", self.name())))
    }
}

impl Session {
    /// Creates a program from a module in SPIR-V.
    ///
    /// # Errors
    /// If the vendor does not accept the module, or no module.
    pub fn il(&self, module: &[u8]) -> Result<Program<'_>> {
        let create = self.device.create_program_with_il()?;
        let mut code = 0;
        // SAFETY: the module is passed with its length.
        let id = unsafe { create(self.context, module.as_ptr().cast(), module.len(), &mut code) };
        match (code, self.notification()) {
            (0, _) => Ok(Program { session: self, id }),
            (_, text) if text.is_empty() => {
                check("clCreateProgramWithIL", code)?;
                failed("clCreateProgramWithIL: no program")
            }
            (_, text) => failed(text),
        }
    }
}

impl Program<'_> {
    /// Sets the value of a specialization constant. Only the vendor knows its size, so the sizes are tried.
    ///
    /// # Errors
    /// If there is no such constant, or the value does not fit into it.
    pub fn set_constant(&self, spec_id: u32, value: u64) -> Result<()> {
        let set = self.session.device.set_constant()?;
        let bytes = value.to_le_bytes();
        let mut code = 0;
        for size in [8, 4, 2, 1] {
            // SAFETY: there are `size` bytes.
            code = unsafe { set(self.id, spec_id, size, bytes.as_ptr().cast()) };
            if code == 0 {
                let is_whole = bytes[size..].iter().all(|&byte| byte == 0);
                return if is_whole {
                    Ok(())
                } else {
                    failed(format!("constant {spec_id} has {size} bytes"))
                };
            }
        }
        check(&format!("specialization constant {spec_id}"), code)
    }
}
