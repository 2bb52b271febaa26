//! Tests of programs in SPIR-V that are built and run.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use cl_sys::*;

use super::il::{ADD, compile, program_of, set};
use super::program::{build, link};
use crate::check::{Failure, Outcome};
use crate::context::{Ctx, EQUALLY};
use crate::{equal, fails, holds, make, ok, query, tests};

tests! {
    "test_spirv_new":
        il_kernel, il_sub_groups_of_large_groups, il_options, il_specialization_constants, il_constants_between_builds,
        il_constants_of_compilations, il_linked_with_source, il_source_linked_with_il, il_binaries,
        il_build_callback, il_builds_of_sub_devices, il_while_kernels_exist;
}

/// True if modules are translated.
const BUILDS: bool = true;

fn wants_builds() -> Outcome {
    if BUILDS { Ok(()) } else { Err(Failure::Skipped("SPIR-V is not translated".into())) }
}

/// Function `twice`, which other units call.
const TWICE: &str = "
    OpCapability Addresses
    OpCapability Linkage
    OpCapability Kernel
    OpMemoryModel Physical64 OpenCL
    OpDecorate %twice LinkageAttributes \"twice\" Export
    %uint = OpTypeInt 32 0
    %type = OpTypeFunction %uint %uint
    %twice = OpFunction %uint None %type
    %x = OpFunctionParameter %uint
    %entry = OpLabel
    %sum = OpIAdd %uint %x %x
    OpReturnValue %sum
    OpFunctionEnd
";

/// Kernel `k`, which calls the function `twice` of another unit.
const CALLER: &str = "
    OpCapability Addresses
    OpCapability Linkage
    OpCapability Kernel
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k \"k\"
    OpDecorate %twice LinkageAttributes \"twice\" Import
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %global = OpTypePointer CrossWorkgroup %uint
    %function = OpTypeFunction %uint %uint
    %kernel = OpTypeFunction %void %global
    %twice = OpFunction %uint None %function
    %x = OpFunctionParameter %uint
    OpFunctionEnd
    %k = OpFunction %void None %kernel
    %p = OpFunctionParameter %global
    %entry = OpLabel
    %old = OpLoad %uint %p Aligned 4
    %new = OpFunctionCall %uint %twice %old
    OpStore %p %new Aligned 4
    OpReturn
    OpFunctionEnd
";

/// Returns the program of a module, or skips the test.
fn program(cx: &Ctx, text: &str) -> Outcome<cl_program> {
    wants_builds()?;
    program_of(cx, text)
}

fn builds(cx: &Ctx, program: cl_program, options: &str) -> Outcome {
    let code = build(cx, program, options);
    let log = query!(cx.clGetProgramBuildInfo(program, cx.device, CL_PROGRAM_BUILD_LOG)).string()?;
    equal!((code, log.as_str()), (CL_SUCCESS, ""));
    Ok(())
}

/// Returns what the kernel `add` adds.
fn added(cx: &Ctx, program: cl_program) -> Outcome<u64> {
    let kernel = make!(cx.clCreateKernel(program, c"add".as_ptr()));
    let buffer = cx.buffer(&[0u64, 1, 2, 3])?;
    cx.arg(kernel, 0, buffer)?;
    cx.launch(kernel, 4, None)?;
    let found = cx.contents::<u64>(buffer, 4)?;
    ok!(cx.clReleaseMemObject(buffer));
    ok!(cx.clReleaseKernel(kernel));
    equal!(found.clone(), (0..4).map(|i| found[0].wrapping_add(i)).collect());
    Ok(found[0])
}

/// Checks what the kernel `k` makes of a number.
fn doubles(cx: &Ctx, program: cl_program) -> Outcome {
    let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
    let buffer = cx.buffer(&[21u32])?;
    cx.arg(kernel, 0, buffer)?;
    cx.launch(kernel, 1, None)?;
    equal!(cx.contents::<u32>(buffer, 1)?, vec![42]);
    ok!(cx.clReleaseKernel(kernel));
    Ok(())
}

fn il_kernel(cx: &Ctx) -> Outcome {
    let program = program(cx, ADD)?;
    builds(cx, program, "")?;
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES)).string()?.as_str(), "add");
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS)).value::<usize>()?, 1);
    let of_build = |name| -> Outcome<_> { Ok(query!(cx.clGetProgramBuildInfo(program, cx.device, name))) };
    equal!(of_build(CL_PROGRAM_BUILD_STATUS)?.value::<cl_int>()?, CL_BUILD_SUCCESS);
    equal!(
        of_build(CL_PROGRAM_BINARY_TYPE)?.value::<cl_uint>()?,
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE as cl_uint
    );
    let kernel = make!(cx.clCreateKernel(program, c"add".as_ptr()));
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS)).value::<cl_uint>()?, 1);
    ok!(cx.clReleaseKernel(kernel));
    equal!(added(cx, program)?, 4);
    Ok(())
}

/// Kernel that stores the number of work-items of its sub-group.
const SUB_GROUP: &str = "
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    OpCapability SubgroupDispatch
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k \"sizes\"
    OpDecorate %id BuiltIn GlobalInvocationId
    OpDecorate %size BuiltIn SubgroupMaxSize
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %ulong = OpTypeInt 64 0
    %ulong3 = OpTypeVector %ulong 3
    %in_ulong3 = OpTypePointer Input %ulong3
    %in_uint = OpTypePointer Input %uint
    %id = OpVariable %in_ulong3 Input
    %size = OpVariable %in_uint Input
    %global = OpTypePointer CrossWorkgroup %uint
    %type = OpTypeFunction %void %global
    %k = OpFunction %void None %type
    %p = OpFunctionParameter %global
    %entry = OpLabel
    %ids = OpLoad %ulong3 %id Aligned 32
    %i = OpCompositeExtract %ulong %ids 0
    %n = OpLoad %uint %size Aligned 4
    %to = OpInBoundsPtrAccessChain %global %p %i
    OpStore %to %n Aligned 4
    OpReturn
    OpFunctionEnd
";

/// Checks that kernels with sub-groups run in groups of the device's maximum size.
fn il_sub_groups_of_large_groups(cx: &Ctx) -> Outcome {
    let program = program(cx, SUB_GROUP)?;
    builds(cx, program, "")?;
    let kernel = make!(cx.clCreateKernel(program, c"sizes".as_ptr()));
    let most = query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_MAX_WORK_GROUP_SIZE)).value::<usize>()?;
    let size = query!(cx.clGetKernelWorkGroupInfo(kernel, cx.device, CL_KERNEL_WORK_GROUP_SIZE));
    equal!(size.value::<usize>()?, most);
    let buffer = cx.buffer(&vec![0u32; most])?;
    cx.arg(kernel, 0, buffer)?;
    cx.launch(kernel, most, Some(most))?;
    let found = cx.contents::<u32>(buffer, most)?;
    holds!(found[0] > 0 && found.iter().all(|&size| size == found[0]));
    ok!(cx.clReleaseKernel(kernel));
    Ok(())
}

/// Checks that options of the language have no effect, and others are accepted.
fn il_options(cx: &Ctx) -> Outcome {
    let program = program(cx, ADD)?;
    for options in [
        "-cl-std=CL1.2",
        "-cl-std=CL2.0 -D X=1 -I /nowhere -w -Werror",
        "-cl-opt-disable -g",
        "-cl-denorms-are-zero -cl-fast-relaxed-math",
        "-cl-kernel-arg-info -cl-uniform-work-group-size",
    ] {
        builds(cx, program, options)?;
        let said = query!(cx.clGetProgramBuildInfo(program, cx.device, CL_PROGRAM_BUILD_OPTIONS)).string()?;
        equal!(said.as_str(), options);
        equal!(added(cx, program)?, 4);
    }
    Ok(())
}

fn il_specialization_constants(cx: &Ctx) -> Outcome {
    let program = program(cx, ADD)?;
    // The others keep the values of the module.
    ok!(set(cx, program, 4, 0x8000_0000u32));
    builds(cx, program, "")?;
    equal!(added(cx, program)?, 0x8000_0003);
    ok!(set(cx, program, 1, 0xffu8));
    ok!(set(cx, program, 2, 0xffffu16));
    ok!(set(cx, program, 8, 0x1234_5678_9abc_def0u64));
    builds(cx, program, "")?;
    equal!(added(cx, program)?, 0xff + 0xffff + 0x8000_0000 + 0x1234_5678_9abc_def0);
    ok!(set(cx, program, 0, 0u8));
    builds(cx, program, "")?;
    equal!(added(cx, program)?, 0);
    for all in [2u8, 0x80, 1] {
        ok!(set(cx, program, 0, all));
        builds(cx, program, "")?;
        holds!(added(cx, program)? != 0);
    }
    // Another program of the module has values of its own.
    let other = self::program(cx, ADD)?;
    builds(cx, other, "")?;
    equal!(added(cx, other)?, 4);
    Ok(())
}

fn il_constants_between_builds(cx: &Ctx) -> Outcome {
    let program = program(cx, ADD)?;
    builds(cx, program, "")?;
    for value in [5u32, 6, 5] {
        let before = added(cx, program)?;
        ok!(set(cx, program, 4, value));
        // The value counts from the next build on.
        equal!(added(cx, program)?, before);
        builds(cx, program, "")?;
        equal!(added(cx, program)?, u64::from(value) + 3);
    }
    // The last of several values counts.
    for value in [7u64, 8, 9] {
        ok!(set(cx, program, 8, value));
    }
    fails!(CL_INVALID_VALUE, set(cx, program, 8, 1u32));
    builds(cx, program, "")?;
    equal!(added(cx, program)?, 9 + 5 + 2);
    Ok(())
}

fn il_constants_of_compilations(cx: &Ctx) -> Outcome {
    let program = program(cx, ADD)?;
    ok!(set(cx, program, 4, 10u32));
    ok!(compile(cx, program, c""));
    ok!(set(cx, program, 4, 20u32));
    let (linked, code) = link(cx, "", &[program]);
    equal!((code, added(cx, linked)?), (CL_SUCCESS, 13));
    ok!(compile(cx, program, c""));
    let (linked, code) = link(cx, "", &[program]);
    equal!((code, added(cx, linked)?), (CL_SUCCESS, 23));
    Ok(())
}

/// Compiles OpenCL C.
fn compiled(cx: &Ctx, text: &str) -> Outcome<cl_program> {
    let program = cx.source(text)?;
    ok!(compile(cx, program, c""));
    Ok(program)
}

fn il_linked_with_source(cx: &Ctx) -> Outcome {
    let caller = program(cx, CALLER)?;
    ok!(compile(cx, caller, c"-cl-std=CL2.0"));
    // The function is missing.
    let (_, code) = link(cx, "", &[caller]);
    equal!(code, CL_LINK_PROGRAM_FAILURE);
    fails!(CL_BUILD_PROGRAM_FAILURE, build(cx, program(cx, CALLER)?, ""));
    let called = compiled(cx, "uint twice(uint x) { return 2 * x; }")?;
    let (linked, code) = link(cx, "", &[caller, called]);
    equal!(code, CL_SUCCESS);
    doubles(cx, linked)?;
    let (library, code) = link(cx, "-create-library", &[caller]);
    equal!(code, CL_SUCCESS);
    let (linked, code) = link(cx, "", &[called, library]);
    equal!(code, CL_SUCCESS);
    doubles(cx, linked)
}

fn il_source_linked_with_il(cx: &Ctx) -> Outcome {
    let called = program(cx, TWICE)?;
    ok!(compile(cx, called, c""));
    let caller = compiled(cx, "uint twice(uint x);\nkernel void k(global uint *a) { *a = twice(*a); }")?;
    let other = program(cx, CALLER)?;
    ok!(compile(cx, other, c""));
    for caller in [caller, other] {
        let (linked, code) = link(cx, "", &[caller, called]);
        equal!(code, CL_SUCCESS);
        equal!(query!(cx.clGetProgramInfo(linked, CL_PROGRAM_SOURCE)).string()?.as_str(), "");
        doubles(cx, linked)?;
    }
    Ok(())
}

fn il_binaries(cx: &Ctx) -> Outcome {
    let program = program(cx, ADD)?;
    ok!(set(cx, program, 4, 100u32));
    for is_executable in [true, false] {
        let made = if is_executable { build(cx, program, "") } else { compile(cx, program, c"") };
        equal!(made, CL_SUCCESS);
        let size = query!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES)).value::<usize>()?;
        let mut bytes = vec![0u8; size];
        let mut pointer = bytes.as_mut_ptr();
        let to = (&raw mut pointer).cast();
        ok!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARIES, size_of::<*mut u8>(), to, null_mut()));
        let (mut start, mut status) = (bytes.as_ptr(), 1);
        let loaded =
            make!(cx.clCreateProgramWithBinary(cx.context, 1, &cx.device, &size, &mut start, &mut status));
        equal!((status, query!(cx.clGetProgramInfo(loaded, 0x1169)).size()), (CL_SUCCESS, 0));
        builds(cx, loaded, "")?;
        equal!(added(cx, loaded)?, 103);
        // A binary has no constants.
        fails!(CL_INVALID_PROGRAM, set(cx, loaded, 4, 1u32));
    }
    Ok(())
}

unsafe extern "C" fn count(_program: cl_program, calls: *mut std::ffi::c_void) {
    // SAFETY: the test passes a number that outlives the call.
    unsafe { *calls.cast::<u32>() += 1 };
}

fn il_build_callback(cx: &Ctx) -> Outcome {
    let program = program(cx, ADD)?;
    let mut calls = 0u32;
    let data = (&raw mut calls).cast();
    ok!(cx.clBuildProgram(program, 0, null(), null(), Some(count), data));
    equal!(calls, 1);
    equal!(added(cx, program)?, 4);
    Ok(())
}

fn il_builds_of_sub_devices(cx: &Ctx) -> Outcome {
    wants_builds()?;
    let (properties, mut count) = ([EQUALLY, 1, 0], 0);
    let mut parts = [null_mut(); 256];
    let made = cx.clCreateSubDevices(cx.device, properties.as_ptr(), 256, parts.as_mut_ptr(), &mut count);
    if made != CL_SUCCESS {
        return Err(Failure::Skipped("a device of one compute unit".into()));
    }
    for &part in &parts[..count as usize] {
        let of_part = cx.on(part)?;
        let program = program(&of_part, ADD)?;
        builds(&of_part, program, "")?;
        equal!(added(&of_part, program)?, 4);
        ok!(cx.clReleaseProgram(program));
    }
    for part in &parts[..count as usize] {
        ok!(cx.clReleaseDevice(*part));
    }
    Ok(())
}

/// Checks that kernels keep a program from being built, but not from taking values.
fn il_while_kernels_exist(cx: &Ctx) -> Outcome {
    let program = program(cx, ADD)?;
    builds(cx, program, "")?;
    let name: &CStr = c"add";
    let kernel = make!(cx.clCreateKernel(program, name.as_ptr()));
    ok!(set(cx, program, 4, 50u32));
    fails!(CL_INVALID_OPERATION, build(cx, program, ""));
    fails!(CL_INVALID_OPERATION, compile(cx, program, c""));
    ok!(cx.clReleaseKernel(kernel));
    equal!(added(cx, program)?, 4);
    builds(cx, program, "")?;
    equal!(added(cx, program)?, 53);
    Ok(())
}
