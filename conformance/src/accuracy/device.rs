//! Execution of a function on the device. There is a kernel for each vector width, which reads the arguments from
//! buffers and writes the results to buffers.

use std::fmt::Write;
use std::ptr::null_mut;

use cl_sys::*;

use super::functions::{Function, Input, Kind};
use super::number::Type;
use crate::check::{Outcome, text};
use crate::context::Ctx;
use crate::ok;

/// Vector widths with which a function is tested.
pub const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// Checks whether the device supports an extension.
pub fn has_extension(cx: &Ctx, name: &str) -> Outcome<bool> {
    let all =
        text(|capacity, to, size| cx.clGetDeviceInfo(cx.device, CL_DEVICE_EXTENSIONS, capacity, to, size))?;
    Ok(all.split_whitespace().any(|extension| extension == name))
}

/// Checks whether the device supports subnormal numbers of this type.
pub fn has_subnormals(cx: &Ctx, ty: Type) -> Outcome<bool> {
    let mut config: cl_ulong = 0;
    let to = (&raw mut config).cast();
    ok!(cx.clGetDeviceInfo(cx.device, ty.config_query(), size_of::<cl_ulong>(), to, null_mut()));
    Ok(config & super::number::DENORM != 0)
}

impl Input {
    fn element(self, ty: Type) -> &'static str {
        match (self, ty) {
            (Input::Real, _) => ty.name(),
            (Input::Int, _) => "int",
            (Input::Code, Type::Float) => "uint",
            (Input::Code, Type::Double) => "ulong",
            (Input::Code, Type::Half) => "ushort",
        }
    }

    fn size(self, ty: Type) -> usize {
        if self == Input::Int { 4 } else { ty.size() }
    }

    fn bits(self, ty: Type, x: f64) -> u64 {
        match self {
            Input::Real => ty.bits(x),
            Input::Int => (x as i32 as u32).into(),
            Input::Code => x as u64,
        }
    }
}

impl Kind {
    /// Returns the floating-point type of a result, or `None` for an integer.
    pub fn real(self, ty: Type) -> Option<Type> {
        match self {
            Kind::Real => Some(ty),
            Kind::Other(other) => Some(other),
            Kind::Int | Kind::Quotient => None,
        }
    }

    fn element(self, ty: Type) -> &'static str {
        self.real(ty).map_or("int", Type::name)
    }

    fn size(self, ty: Type) -> usize {
        self.real(ty).map_or(4, Type::size)
    }

    /// Returns the value that the bits of a result represent.
    pub fn value(self, ty: Type, bits: u64) -> f64 {
        self.real(ty).map_or(f64::from(bits as u32 as i32), |ty| ty.value(bits))
    }
}

/// Returns the types that the kernels of a function use.
fn named(function: &Function, ty: Type) -> impl Iterator<Item = Type> {
    let others = function.outputs.iter().filter_map(move |output| output.kind.real(ty));
    others.chain([ty])
}

/// Returns the extensions that a function needs.
pub fn extensions(function: &Function, ty: Type) -> Vec<&'static str> {
    named(function, ty).filter_map(Type::extension).collect()
}

/// Returns a program with a kernel `lanesN` for each width `N`.
fn source(function: &Function, ty: Type, widths: &[usize]) -> String {
    let mut text = String::new();
    for extension in extensions(function, ty) {
        let _ = writeln!(text, "#pragma OPENCL EXTENSION {extension} : enable");
    }
    for &n in widths {
        let lanes = if n == 1 { String::new() } else { n.to_string() };
        let _ =
            writeln!(text, "#define TO_FLOAT convert_float{lanes}\n#define TO_DOUBLE convert_double{lanes}");
        let _ = write!(text, "kernel void lanes{n}(");
        let mut params = Vec::new();
        let mut body = String::from("    size_t i = get_global_id(0);\n");
        let mut stores = String::new();
        for (input, name) in function.inputs.iter().zip(["x", "y", "z"]) {
            let element = input.element(ty);
            params.push(format!("global const {element} *in_{name}"));
            let load = if n == 1 { format!("in_{name}[i]") } else { format!("vload{n}(i, in_{name})") };
            let _ = writeln!(body, "    {element}{lanes} {name} = {load};");
        }
        for (output, name) in function.outputs.iter().zip(["r", "s"]) {
            let element = output.kind.element(ty);
            params.push(format!("global {element} *out_{name}"));
            let _ = writeln!(body, "    {element}{lanes} {name};");
            let store = if n == 1 {
                format!("out_{name}[i] = {name}")
            } else {
                format!("vstore{n}({name}, i, out_{name})")
            };
            let _ = writeln!(stores, "    {store};");
        }
        let _ = writeln!(text, "{})\n{{\n{body}    {}\n{stores}}}", params.join(", "), function.body);
        text.push_str("#undef TO_FLOAT\n#undef TO_DOUBLE\n");
    }
    text
}

/// Built kernels of a function, with their buffers.
pub struct CompiledFunction<'a> {
    cx: &'a Ctx,
    function: &'a Function,
    ty: Type,
    program: cl_program,
    /// Buffers of the inputs, then of the outputs.
    buffers: Vec<cl_mem>,
    max_points: usize,
}

impl<'a> CompiledFunction<'a> {
    /// Builds the kernels and creates buffers of `max_points` elements.
    pub fn new(
        cx: &'a Ctx,
        function: &'a Function,
        ty: Type,
        options: &str,
        widths: &[usize],
        max_points: usize,
    ) -> Outcome<Self> {
        let program = cx.program_with(&source(function, ty, widths), options)?;
        let inputs = function.inputs.iter().map(|input| input.size(ty));
        let outputs = function.outputs.iter().map(|output| output.kind.size(ty));
        let buffers = inputs.chain(outputs).map(|size| cx.empty_buffer(size * max_points));
        let buffers = buffers.collect::<Outcome<Vec<cl_mem>>>()?;
        Ok(CompiledFunction { cx, function, ty, program, buffers, max_points })
    }

    /// Runs the kernel of width `lanes`, which must divide the number of points, and returns the bits of each
    /// result.
    pub fn run(&self, points: &[[f64; 3]], lanes: usize) -> Outcome<Vec<Vec<u64>>> {
        let (cx, ty) = (self.cx, self.ty);
        assert!(points.len() <= self.max_points && points.len().is_multiple_of(lanes));
        let name = crate::context::c_string(&format!("lanes{lanes}"));
        let kernel = crate::make!(cx.clCreateKernel(self.program, name.as_ptr()));
        for (index, buffer) in self.buffers.iter().enumerate() {
            cx.arg(kernel, index as u32, *buffer)?;
        }
        for (index, input) in self.function.inputs.iter().enumerate() {
            let size = input.size(ty);
            let mut bytes = Vec::with_capacity(points.len() * size);
            for point in points {
                bytes.extend_from_slice(&input.bits(ty, point[index]).to_le_bytes()[..size]);
            }
            let from = bytes.as_ptr().cast();
            let to = self.buffers[index];
            ok!(cx.clEnqueueWriteBuffer(
                cx.queue,
                to,
                1,
                0,
                bytes.len(),
                from,
                0,
                std::ptr::null(),
                null_mut()
            ));
        }
        let event = cx.launch(kernel, points.len() / lanes, None)?;
        let outputs = self.function.outputs.iter().zip(&self.buffers[self.function.inputs.len()..]);
        let results = outputs.map(|(output, &buffer)| {
            let size = output.kind.size(ty);
            let bytes = cx.contents::<u8>(buffer, points.len() * size)?;
            let word = |chunk: &[u8]| {
                let mut word = [0; 8];
                word[..size].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            };
            Ok(bytes.chunks_exact(size).map(word).collect())
        });
        let results = results.collect::<Outcome<Vec<Vec<u64>>>>()?;
        ok!(cx.clReleaseEvent(event));
        ok!(cx.clReleaseKernel(kernel));
        Ok(results)
    }
}

impl Drop for CompiledFunction<'_> {
    fn drop(&mut self) {
        for &buffer in &self.buffers {
            self.cx.clReleaseMemObject(buffer);
        }
        self.cx.clReleaseProgram(self.program);
    }
}
