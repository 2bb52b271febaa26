//! Tests of programs in SPIR-V, without successful builds: creation, specialization constants, errors and queries.
//! `il_build` has the others.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use cl_sys::*;

use super::later::{NameVersion, function, major_minor, wants};
use super::program::{build, link};
use crate::check::{Failure, Outcome};
use crate::context::{Ctx, EQUALLY};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_api":
        create_program_with_il, create_program_with_il_khr, negative_create_program_with_il,
        invalid_il_is_reported, il_that_is_not_built, set_program_specialization_constants,
        negative_set_program_specialization_constant, spirv_query_requirements, spirv_query_dependencies;
    "test_compiler":
        il_that_breaks_a_rule, negative_compile_program_with_il, negative_build_program_with_il,
        negative_link_program_with_il, il_of_sub_devices;
    "test_computeinfo":
        il_versions, il_extensions;
}

const PROGRAM_IL: cl_uint = 0x1169;
const DEVICE_ILS_WITH_VERSION: cl_uint = 0x1061;
const SPIRV_EXTENDED_INSTRUCTION_SETS: cl_uint = 0x12B9;
const SPIRV_EXTENSIONS: cl_uint = 0x12BA;
const SPIRV_CAPABILITIES: cl_uint = 0x12BB;
const INVALID_SPEC_ID: cl_int = -71;

/// Kernel `add`, which adds to each element of its argument a sum of specialization constants. Their SpecIds are their
/// sizes in bytes, and 0 for the boolean; the values are 1 and true.
pub const ADD: &str = "
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int8
    OpCapability Int16
    OpCapability Int64
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %add \"add\" %id
    OpDecorate %id BuiltIn GlobalInvocationId
    OpDecorate %id Constant
    OpDecorate %all SpecId 0
    OpDecorate %one SpecId 1
    OpDecorate %two SpecId 2
    OpDecorate %four SpecId 4
    OpDecorate %eight SpecId 8
    %void = OpTypeVoid
    %bool = OpTypeBool
    %uchar = OpTypeInt 8 0
    %ushort = OpTypeInt 16 0
    %uint = OpTypeInt 32 0
    %ulong = OpTypeInt 64 0
    %ulong3 = OpTypeVector %ulong 3
    %input = OpTypePointer Input %ulong3
    %global = OpTypePointer CrossWorkgroup %ulong
    %type = OpTypeFunction %void %global
    %all = OpSpecConstantTrue %bool
    %one = OpSpecConstant %uchar 1
    %two = OpSpecConstant %ushort 1
    %four = OpSpecConstant %uint 1
    %eight = OpSpecConstant %ulong 1
    %zero = OpConstant %ulong 0
    %id = OpVariable %input Input
    %add = OpFunction %void None %type
    %p = OpFunctionParameter %global
    %entry = OpLabel
    %ids = OpLoad %ulong3 %id Aligned 32
    %i = OpCompositeExtract %ulong %ids 0
    %at = OpInBoundsPtrAccessChain %global %p %i
    %old = OpLoad %ulong %at Aligned 8
    %a = OpUConvert %ulong %one
    %b = OpUConvert %ulong %two
    %c = OpUConvert %ulong %four
    %ab = OpIAdd %ulong %a %b
    %abc = OpIAdd %ulong %ab %c
    %abcd = OpIAdd %ulong %abc %eight
    %sum = OpSelect %ulong %all %abcd %zero
    %new = OpIAdd %ulong %old %sum
    OpStore %at %new Aligned 8
    OpReturn
    OpFunctionEnd
";

/// Returns the bytes of a module.
pub fn assembled(text: &str) -> Outcome<Vec<u8>> {
    grus_assembler::assemble(text).map_err(|error| Failure::Failed(format!("the module: {error}")))
}

/// Skips the test unless the device takes SPIR-V.
pub fn wants_il(cx: &Ctx) -> Outcome {
    let versions = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_IL_VERSION)).string()?;
    if versions.split(' ').any(|version| version.starts_with("SPIR-V_1.")) {
        return Ok(());
    }
    Err(Failure::Skipped("no SPIR-V".into()))
}

/// Creates a program of a module's text, or skips the test.
pub fn program_of(cx: &Ctx, text: &str) -> Outcome<cl_program> {
    wants_il(cx)?;
    let il = assembled(text)?;
    Ok(make!(cx.clCreateProgramWithIL(cx.context, il.as_ptr().cast(), il.len())))
}

/// Sets a specialization constant.
pub fn set<T: Copy>(cx: &Ctx, program: cl_program, spec_id: cl_uint, value: T) -> cl_int {
    cx.clSetProgramSpecializationConstant(program, spec_id, size_of::<T>(), (&raw const value).cast())
}

/// Compiles a program without headers.
pub fn compile(cx: &Ctx, program: cl_program, options: &CStr) -> cl_int {
    cx.clCompileProgram(program, 0, null(), options.as_ptr(), 0, null(), null_mut(), None, null_mut())
}

fn swapped(il: &[u8]) -> Vec<u8> {
    il.chunks_exact(4).flat_map(|word| word.iter().rev().copied()).collect()
}

/// Checks the answers about a program that was just created.
fn is_new(cx: &Ctx, program: cl_program, il: &[u8]) -> Outcome {
    equal!(query!(cx.clGetProgramInfo(program, PROGRAM_IL)).array::<u8>()?, il.to_vec());
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_SOURCE)).string()?.as_str(), "");
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_CONTEXT)).value::<cl_context>()?, cx.context);
    let devices = query!(cx.clGetProgramInfo(program, CL_PROGRAM_DEVICES)).array::<cl_device_id>()?;
    equal!(devices, vec![cx.device]);
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES)).array::<usize>()?, vec![0]);
    let of_build = |name| -> Outcome<_> { Ok(query!(cx.clGetProgramBuildInfo(program, cx.device, name))) };
    equal!(of_build(CL_PROGRAM_BUILD_STATUS)?.value::<cl_int>()?, CL_BUILD_NONE);
    equal!(of_build(CL_PROGRAM_BINARY_TYPE)?.value::<cl_uint>()?, CL_PROGRAM_BINARY_TYPE_NONE as cl_uint);
    equal!(of_build(CL_PROGRAM_BUILD_OPTIONS)?.string()?.as_str(), "");
    equal!(of_build(CL_PROGRAM_BUILD_LOG)?.string()?.as_str(), "");
    Ok(())
}

fn create_program_with_il(cx: &Ctx) -> Outcome {
    wants_il(cx)?;
    let il = assembled(ADD)?;
    for bytes in [il.clone(), swapped(&il)] {
        // The memory is at an odd address, and is changed after the call.
        let mut memory = [&[0][..], &bytes].concat();
        let at = memory[1..].as_ptr().cast();
        let program = make!(cx.clCreateProgramWithIL(cx.context, at, bytes.len()));
        memory.fill(0xff);
        is_new(cx, program, &bytes)?;
        ok!(cx.clRetainProgram(program));
        ok!(cx.clReleaseProgram(program));
        ok!(cx.clReleaseProgram(program));
    }
    for minor in 0..=6 {
        let il = assembled(&format!("; Version: 1.{minor}\n{ADD}"))?;
        let program = make!(cx.clCreateProgramWithIL(cx.context, il.as_ptr().cast(), il.len()));
        is_new(cx, program, &il)?;
        ok!(cx.clReleaseProgram(program));
    }
    // A program that was not created from SPIR-V has none.
    let source = cx.source("kernel void k(global int *a) { *a = 1; }")?;
    equal!(query!(cx.clGetProgramInfo(source, PROGRAM_IL)).size(), 0);
    Ok(())
}

/// Type of clCreateProgramWithILKHR.
type Create = unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;

fn create_program_with_il_khr(cx: &Ctx) -> Outcome {
    wants(cx, "cl_khr_il_program")?;
    let found = function(cx, "clCreateProgramWithILKHR")?;
    // SAFETY: the extension gives this function this type.
    let create = unsafe { std::mem::transmute::<*mut c_void, Create>(found) };
    let il = assembled(ADD)?;
    let call = |context, il: *const c_void, length| {
        let mut code = 1;
        // SAFETY: the memory has that length, or the function must reject the call.
        (unsafe { create(context, il, length, &mut code) }, code)
    };
    let at = il.as_ptr().cast();
    let (program, code) = call(cx.context, at, il.len());
    equal!(code, CL_SUCCESS);
    is_new(cx, program, &il)?;
    equal!(call(null_mut(), at, il.len()), (null_mut(), CL_INVALID_CONTEXT));
    equal!(call(cx.context, null(), il.len()), (null_mut(), CL_INVALID_VALUE));
    equal!(call(cx.context, at, 0), (null_mut(), CL_INVALID_VALUE));
    equal!(call(cx.context, at, il.len() - 4), (null_mut(), CL_INVALID_VALUE));
    Ok(())
}

fn negative_create_program_with_il(cx: &Ctx) -> Outcome {
    wants_il(cx)?;
    let il = assembled(ADD)?;
    let (at, length) = (il.as_ptr().cast(), il.len());
    for context in [null_mut(), cx.queue, cx.device] {
        make_fails!(CL_INVALID_CONTEXT, cx.clCreateProgramWithIL(context, at, length));
        make_fails!(CL_INVALID_CONTEXT, cx.clCreateProgramWithIL(context, null(), 0));
    }
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithIL(cx.context, null(), length));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithIL(cx.context, null(), 0));
    // Parts of a module: of its header, with a part of a word, and with a part of its function.
    for length in (0..length).filter(|part| *part < 20 || part % 4 != 0 || *part + 100 > length) {
        make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithIL(cx.context, at, length));
    }
    let refuse = |bytes: &[u8]| -> Outcome {
        make_fails!(
            CL_INVALID_VALUE,
            cx.clCreateProgramWithIL(cx.context, bytes.as_ptr().cast(), bytes.len())
        );
        holds!(
            cx.clCreateProgramWithIL(cx.context, bytes.as_ptr().cast(), bytes.len(), null_mut()).is_null()
        );
        Ok(())
    };
    refuse(b"kernel void k(global int *a) { *a = 1; }....")?;
    refuse(&[0; 64])?;
    refuse(&[&il[..], &[0; 2]].concat())?;
    // Magic, version, bound, reserved word; the length of an instruction, its opcode, an operand.
    let word = |at: usize, value: u32| {
        let mut words = il.clone();
        words[4 * at..4 * at + 4].copy_from_slice(&value.to_le_bytes());
        words
    };
    for (at, value) in [
        (0, 0x0302_2307),
        (1, 0),
        (1, 0x0001_0700),
        (1, 0x0002_0000),
        (3, 0),
        (3, u32::MAX),
        (3, 4_194_304),
        (5, 17),
        (5, 0xffff_0011),
        (5, 0x0002_ffff),
        (6, 0xffff_fffe),
    ] {
        refuse(&word(at, value))?;
    }
    // Environments and capabilities of other APIs.
    for (from, to) in [
        ("Physical64 OpenCL", "Physical32 OpenCL"),
        ("Physical64 OpenCL", "Logical GLSL450"),
        ("OpCapability Kernel", "OpCapability Shader"),
        ("OpMemoryModel", "OpExtension \"SPV_NONE_such\"\nOpMemoryModel"),
        ("OpMemoryModel", "%set = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel"),
    ] {
        refuse(&assembled(&ADD.replace(from, to))?)?;
    }
    Ok(())
}

static NOTES: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(text: *const c_char, _private: *const c_void, _size: usize, _data: *mut c_void) {
    // SAFETY: by the specification the text is zero-terminated.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    NOTES.lock().expect("nobody panics here").push(text);
}

/// Checks that a context is told what is wrong with a module, since the code does not say it.
fn invalid_il_is_reported(cx: &Ctx) -> Outcome {
    wants_il(cx)?;
    let context = make!(cx.clCreateContext(null(), 1, &cx.device, Some(note), null_mut()));
    let il = assembled(&ADD.replace("OpCapability Kernel", "OpCapability Shader"))?;
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithIL(context, il.as_ptr().cast(), il.len()));
    let notes = NOTES.lock().expect("nobody panics here").clone();
    holds!(notes.len() == 1 && notes[0].contains("Shader") && notes[0].contains("word"));
    ok!(cx.clReleaseContext(context));
    Ok(())
}

/// Checks that a program without an executable has no kernels.
fn has_no_kernels(cx: &Ctx, program: cl_program) -> Outcome {
    make_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernel(program, c"add".as_ptr()));
    let mut count = 0;
    fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernelsInProgram(program, 0, null_mut(), &mut count));
    query_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS));
    query_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES));
    Ok(())
}

fn il_that_is_not_built(cx: &Ctx) -> Outcome {
    has_no_kernels(cx, program_of(cx, ADD)?)
}

fn il_that_breaks_a_rule(cx: &Ctx) -> Outcome {
    // The sum of a pointer.
    let text = ADD.replace("%new = OpIAdd %ulong %old", "%new = OpIAdd %ulong %p");
    let program = program_of(cx, &text)?;
    let of_build = |name| -> Outcome<_> { Ok(query!(cx.clGetProgramBuildInfo(program, cx.device, name))) };
    for _ in 0..2 {
        for is_compiled in [false, true] {
            if is_compiled {
                fails!(CL_COMPILE_PROGRAM_FAILURE, compile(cx, program, c""));
            } else {
                fails!(CL_BUILD_PROGRAM_FAILURE, build(cx, program, ""));
            }
            equal!(of_build(CL_PROGRAM_BUILD_STATUS)?.value::<cl_int>()?, CL_BUILD_ERROR);
            holds!(of_build(CL_PROGRAM_BUILD_LOG)?.string()?.contains("error"));
            let kind = of_build(CL_PROGRAM_BINARY_TYPE)?.value::<cl_uint>()?;
            equal!(kind, CL_PROGRAM_BINARY_TYPE_NONE as cl_uint);
            equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES)).array::<usize>()?, vec![0]);
            has_no_kernels(cx, program)?;
        }
    }
    equal!(query!(cx.clGetProgramInfo(program, PROGRAM_IL)).array::<u8>()?, assembled(&text)?);
    Ok(())
}

fn set_program_specialization_constants(cx: &Ctx) -> Outcome {
    let program = program_of(cx, ADD)?;
    for round in 0..3u8 {
        ok!(set(cx, program, 0, round));
        ok!(set(cx, program, 1, round));
        ok!(set(cx, program, 2, u16::from(round)));
        ok!(set(cx, program, 4, u32::from(round)));
        ok!(set(cx, program, 8, u64::from(round)));
    }
    // Any value but 0 is true, and values may be at odd addresses.
    let bytes = [0xffu8; 9];
    let odd = bytes[1..].as_ptr().cast();
    for (spec_id, size) in [(0, 1), (1, 1), (2, 2), (4, 4), (8, 8)] {
        ok!(cx.clSetProgramSpecializationConstant(program, spec_id, size, odd));
    }
    // The bytes of the program stay as they are.
    equal!(query!(cx.clGetProgramInfo(program, PROGRAM_IL)).array::<u8>()?, assembled(ADD)?);
    Ok(())
}

fn negative_set_program_specialization_constant(cx: &Ctx) -> Outcome {
    let program = program_of(cx, ADD)?;
    for handle in [null_mut(), cx.queue, cx.context] {
        fails!(CL_INVALID_PROGRAM, set(cx, handle, 4, 1u32));
    }
    // Not created from SPIR-V.
    let source = cx.source("kernel void k(global int *a) { *a = 1; }")?;
    fails!(CL_INVALID_PROGRAM, set(cx, source, 4, 1u32));
    for spec_id in [3, 5, 9, u32::MAX] {
        fails!(INVALID_SPEC_ID, set(cx, program, spec_id, 1u32));
        fails!(INVALID_SPEC_ID, cx.clSetProgramSpecializationConstant(program, spec_id, 4, null()));
    }
    let value = [1u64; 4];
    for (spec_id, right) in [(0, 1), (1, 1), (2, 2), (4, 4), (8, 8)] {
        for size in [0, 1, 2, 3, 4, 5, 8, 16, 32, usize::MAX].into_iter().filter(|&size| size != right) {
            let (at, none) = (value.as_ptr().cast(), null());
            fails!(CL_INVALID_VALUE, cx.clSetProgramSpecializationConstant(program, spec_id, size, at));
            fails!(CL_INVALID_VALUE, cx.clSetProgramSpecializationConstant(program, spec_id, size, none));
        }
        fails!(CL_INVALID_VALUE, cx.clSetProgramSpecializationConstant(program, spec_id, right, null()));
    }
    Ok(())
}

fn negative_compile_program_with_il(cx: &Ctx) -> Outcome {
    let program = program_of(cx, ADD)?;
    let source = cx.source("#include \"a.h\"\nkernel void k(global int *a) { *a = N; }")?;
    let header = cx.source("#define N 1\n")?;
    let mut name = c"a.h".as_ptr();
    let compile_with = |program, headers: *const cl_program, name| {
        cx.clCompileProgram(program, 0, null(), null(), 1, headers, name, None, null_mut())
    };
    // Modules include nothing: headers are ignored.
    ok!(compile_with(program, &header, &mut name));
    // A header is source.
    fails!(CL_INVALID_PROGRAM, compile_with(source, &program, &mut name));
    ok!(compile_with(source, &header, &mut name));
    for options in [c"-no-such-option", c"-create-library", c"-cl-std=CL9.9"] {
        fails!(CL_INVALID_COMPILER_OPTIONS, compile(cx, program, options));
    }
    has_no_kernels(cx, program)
}

fn negative_build_program_with_il(cx: &Ctx) -> Outcome {
    let program = program_of(cx, ADD)?;
    for options in ["-no-such-option", "-create-library", "-cl-std=CL9.9", "-D"] {
        fails!(CL_INVALID_BUILD_OPTIONS, build(cx, program, options));
    }
    let none = null_mut();
    fails!(CL_INVALID_DEVICE, cx.clBuildProgram(program, 1, &cx.queue, null(), None, none));
    fails!(CL_INVALID_VALUE, cx.clBuildProgram(program, 1, null(), null(), None, none));
    fails!(CL_INVALID_VALUE, cx.clBuildProgram(program, 0, &cx.device, null(), None, none));
    has_no_kernels(cx, program)
}

fn negative_link_program_with_il(cx: &Ctx) -> Outcome {
    let program = program_of(cx, ADD)?;
    let source = cx.source("kernel void k(global int *a) { *a = 1; }")?;
    ok!(compile(cx, source, c""));
    for inputs in [&[program][..], &[program, program], &[source, program]] {
        equal!(link(cx, "", inputs), (null_mut(), CL_INVALID_OPERATION));
    }
    Ok(())
}

fn il_of_sub_devices(cx: &Ctx) -> Outcome {
    wants_il(cx)?;
    let (properties, mut count) = ([EQUALLY, 1, 0], 0);
    let mut parts = [null_mut(); 256];
    let made = cx.clCreateSubDevices(cx.device, properties.as_ptr(), 256, parts.as_mut_ptr(), &mut count);
    if made != CL_SUCCESS {
        return Err(Failure::Skipped("a device of one compute unit".into()));
    }
    let parts = &parts[..count as usize];
    let context = make!(cx.clCreateContext(null(), count, parts.as_ptr(), None, null_mut()));
    let il = assembled(ADD)?;
    let program = make!(cx.clCreateProgramWithIL(context, il.as_ptr().cast(), il.len()));
    let devices = query!(cx.clGetProgramInfo(program, CL_PROGRAM_DEVICES)).array::<cl_device_id>()?;
    equal!(devices, parts.to_vec());
    for &part in parts {
        let status = query!(cx.clGetProgramBuildInfo(program, part, CL_PROGRAM_BUILD_STATUS));
        equal!(status.value::<cl_int>()?, CL_BUILD_NONE);
    }
    // The whole device is not a device of the program.
    fails!(CL_INVALID_DEVICE, cx.clBuildProgram(program, 1, &cx.device, null(), None, null_mut()));
    ok!(cx.clReleaseProgram(program));
    ok!(cx.clReleaseContext(context));
    for &part in parts {
        ok!(cx.clReleaseDevice(part));
    }
    Ok(())
}

fn il_versions(cx: &Ctx) -> Outcome {
    let text = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_IL_VERSION)).string()?;
    let listed = query!(cx.clGetDeviceInfo(cx.device, DEVICE_ILS_WITH_VERSION)).array::<NameVersion>()?;
    let named = |entry: &NameVersion| -> Outcome<String> {
        Ok(format!("{}_{}", entry.name()?, major_minor(entry.version)))
    };
    equal!(listed.iter().map(named).collect::<Outcome<Vec<_>>>()?.join(" "), text.clone());
    wants_il(cx)?;
    equal!(text.as_str(), "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6");
    Ok(())
}

fn il_extensions(cx: &Ctx) -> Outcome {
    wants_il(cx)?;
    for name in [
        "cl_khr_il_program",
        "cl_khr_spirv_queries",
        "cl_khr_spirv_linkonce_odr",
        "cl_khr_spirv_no_integer_wrap_decoration",
        "cl_khr_spirv_extended_debug_info",
    ] {
        wants(cx, name).map_err(|_| Failure::Failed(format!("{name} is not listed")))?;
    }
    Ok(())
}

/// Returns the answer to a query for names.
fn names(cx: &Ctx, name: cl_uint) -> Outcome<Vec<String>> {
    let found = query!(cx.clGetDeviceInfo(cx.device, name)).array::<*const c_char>()?;
    // SAFETY: the extension says that these are zero-terminated texts.
    Ok(found.iter().map(|&text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()).collect())
}

fn spirv_query_requirements(cx: &Ctx) -> Outcome {
    wants(cx, "cl_khr_spirv_queries")?;
    let sets = names(cx, SPIRV_EXTENDED_INSTRUCTION_SETS)?;
    holds!(sets.iter().any(|name| name == "OpenCL.std"));
    let capabilities = query!(cx.clGetDeviceInfo(cx.device, SPIRV_CAPABILITIES)).array::<cl_uint>()?;
    // Those that any device of the full profile with SPIR-V 1.0, doubles, images, sub-groups, pipes, the generic address
    // space and device-side enqueue must have: Addresses, Linkage, Kernel, Vector16, Float16Buffer, Float64, Int64,
    // ImageBasic, ImageReadWrite, Pipes, Groups, DeviceEnqueue, LiteralSampler, Int16, GenericPointer, Int8, Sampled1D,
    // Image1D, SampledBuffer, ImageBuffer.
    for wanted in [4, 5, 6, 7, 8, 10, 11, 13, 14, 17, 18, 19, 20, 22, 38, 39, 43, 44, 46, 47] {
        equal!((wanted, capabilities.contains(&wanted)), (wanted, true));
    }
    Ok(())
}

fn spirv_query_dependencies(cx: &Ctx) -> Outcome {
    wants(cx, "cl_khr_spirv_queries")?;
    let (sets, extensions) = (names(cx, SPIRV_EXTENDED_INSTRUCTION_SETS)?, names(cx, SPIRV_EXTENSIONS)?);
    let capabilities = query!(cx.clGetDeviceInfo(cx.device, SPIRV_CAPABILITIES)).array::<cl_uint>()?;
    // Extensions of OpenCL, and what they promise.
    for (extension, set, name, capability) in [
        ("cl_khr_spirv_extended_debug_info", "OpenCL.DebugInfo.100", "", 0),
        ("cl_khr_spirv_linkonce_odr", "", "SPV_KHR_linkonce_odr", 0),
        ("cl_khr_spirv_no_integer_wrap_decoration", "", "SPV_KHR_no_integer_wrap_decoration", 0),
        ("cl_khr_fp16", "", "", 9),
        ("cl_khr_int64_base_atomics", "", "", 12),
        ("cl_khr_subgroup_non_uniform_vote", "", "", 62),
        ("cl_khr_subgroup_non_uniform_arithmetic", "", "", 63),
        ("cl_khr_subgroup_ballot", "", "", 64),
        ("cl_khr_subgroup_shuffle", "", "", 65),
        ("cl_khr_subgroup_shuffle_relative", "", "", 66),
        ("cl_khr_subgroup_clustered_reduce", "", "", 67),
        ("cl_khr_extended_bit_ops", "", "SPV_KHR_bit_instructions", 6025),
        ("cl_khr_integer_dot_product", "", "SPV_KHR_integer_dot_product", 6019),
        ("cl_khr_expect_assume", "", "SPV_KHR_expect_assume", 5629),
        ("cl_khr_subgroup_rotate", "", "SPV_KHR_subgroup_rotate", 6026),
        ("cl_khr_work_group_uniform_arithmetic", "", "SPV_KHR_uniform_group_instructions", 6400),
        ("cl_ext_float_atomics", "", "SPV_EXT_shader_atomic_float_add", 6033),
        ("cl_ext_float_atomics", "", "SPV_EXT_shader_atomic_float_min_max", 5612),
        ("cl_khr_kernel_clock", "", "SPV_KHR_shader_clock", 5055),
    ] {
        if wants(cx, extension).is_ok() {
            let has = |list: &[String], name: &str| name.is_empty() || list.iter().any(|known| known == name);
            let is_listed = capability == 0 || capabilities.contains(&capability);
            equal!(
                (extension, has(&sets, set), has(&extensions, name), is_listed),
                (extension, true, true, true)
            );
        }
    }
    // A module may declare all that is listed.
    let text =
        |names: &[String], what: &dyn Fn(&String) -> String| names.iter().map(what).collect::<String>();
    let words: String = capabilities.iter().map(|number| format!("OpCapability !{number}\n")).collect();
    let module = words
        + &text(&extensions, &|name| format!("OpExtension \"{name}\"\n"))
        + &text(&sets, &|name| format!("%{} = OpExtInstImport \"{name}\"\n", name.replace('.', "_")))
        + "OpMemoryModel Physical64 OpenCL\n";
    let program = program_of(cx, &module)?;
    ok!(cx.clReleaseProgram(program));
    Ok(())
}
