//! Tests of programs.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use cl_sys::*;

use crate::check::Outcome;
use crate::context::{Ctx, c_string};
use crate::{equal, fails, holds, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_api":
        load_single_kernel, load_two_kernels, load_two_kernels_in_one, get_program_info_kernel_names,
        program_source_forms, program_life, binary_get, binary_create, binary_of_2_0, negative_create_program_with_source,
        negative_create_program_with_binary, negative_program;
    "test_compiler":
        simple_compile_only, build_status, build_log, build_options, build_callback, rebuild,
        options_build_macro, options_denorm_cache, compile_with_headers, negative_build_program, negative_compile_program,
        negative_link_program, global_variable_size, simple_compile_and_link, program_binary_type,
        link_error_returns_program, simple_link_with_callback, execute_after_serialize_reload_object,
        link_recursion, link_library_in_steps, link_blocks;
}

const COPY: &str =
    "kernel void copy(global const int *a, global int *b) { size_t i = get_global_id(0); b[i] = a[i]; }";

fn build_info<T: Copy>(cx: &Ctx, program: cl_program, name: cl_uint) -> Outcome<T> {
    query!(cx.clGetProgramBuildInfo(program, cx.device, name)).value()
}

fn build_text(cx: &Ctx, program: cl_program, name: cl_uint) -> Outcome<String> {
    query!(cx.clGetProgramBuildInfo(program, cx.device, name)).string()
}

pub(super) fn build(cx: &Ctx, program: cl_program, options: &str) -> cl_int {
    cx.clBuildProgram(program, 0, null(), c_string(options).as_ptr(), None, null_mut())
}

fn load_single_kernel(cx: &Ctx) -> Outcome {
    let program = cx.program_with(COPY, "")?;
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES)).value::<cl_uint>()?, 1);
    let devices = query!(cx.clGetProgramInfo(program, CL_PROGRAM_DEVICES)).array::<cl_device_id>()?;
    equal!(devices, vec![cx.device]);
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_CONTEXT)).value::<cl_context>()?, cx.context);
    let kernel = make!(cx.clCreateKernel(program, c"copy".as_ptr()));
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME)).string()?.as_str(), "copy");
    Ok(())
}

fn load_two_kernels(cx: &Ctx) -> Outcome {
    for name in ["one", "two"] {
        let kernel = cx.kernel(&format!("kernel void {name}(global int *a) {{ *a = 1; }}"), name)?;
        ok!(cx.clReleaseKernel(kernel));
    }
    Ok(())
}

const TWO: &str = "kernel void one(global int *a) { *a = 1; }\nkernel void two(global int *a) { *a = 2; }\n";

fn load_two_kernels_in_one(cx: &Ctx) -> Outcome {
    let program = cx.program_with(TWO, "")?;
    let mut count = 0;
    ok!(cx.clCreateKernelsInProgram(program, 0, null_mut(), &mut count));
    equal!(count, 2);
    let mut kernels = [null_mut(); 3];
    fails!(CL_INVALID_VALUE, cx.clCreateKernelsInProgram(program, 1, kernels.as_mut_ptr(), null_mut()));
    holds!(kernels[0].is_null());
    ok!(cx.clCreateKernelsInProgram(program, 3, kernels.as_mut_ptr(), &mut count));
    equal!(count, 2);
    holds!(kernels[2].is_null());
    let mut names = Vec::new();
    for &kernel in &kernels[..2] {
        names.push(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME)).string()?);
    }
    names.sort();
    equal!(names, vec!["one".to_owned(), "two".to_owned()]);
    Ok(())
}

fn get_program_info_kernel_names(cx: &Ctx) -> Outcome {
    let program = cx.source(TWO)?;
    for name in [CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES] {
        query_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clGetProgramInfo(program, name));
    }
    equal!(build(cx, program, ""), CL_SUCCESS);
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS)).value::<usize>()?, 2);
    let names = query!(cx.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES)).string()?;
    let mut names: Vec<_> = names.split(';').collect();
    names.sort();
    equal!(names, vec!["one", "two"]);
    Ok(())
}

fn program_source_forms(cx: &Ctx) -> Outcome {
    let expected = "kernel void k(void) {}";
    let parts = [c"kernel void ".as_ptr(), c"k(void)xxx".as_ptr(), c" {}".as_ptr()];
    let source = |lengths: Option<&[usize; 3]>| -> Outcome<String> {
        let lengths = lengths.map_or(null(), |l| l.as_ptr());
        let program = make!(cx.clCreateProgramWithSource(cx.context, 3, parts.as_ptr().cast_mut(), lengths));
        query!(cx.clGetProgramInfo(program, CL_PROGRAM_SOURCE)).string()
    };
    // A length of 0 means that the string ends with a NUL. Without lengths all strings do.
    equal!(source(Some(&[0, 7, 0]))?.as_str(), expected);
    equal!(source(Some(&[12, 7, 3]))?.as_str(), expected);
    equal!(source(None)?.as_str(), "kernel void k(void)xxx {}");
    // NUL characters inside the source are removed.
    let mut text = b"a\0b".as_ptr().cast();
    let program = make!(cx.clCreateProgramWithSource(cx.context, 1, &mut text, &3));
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_SOURCE)).string()?.as_str(), "ab");
    Ok(())
}

fn negative_create_program_with_source(cx: &Ctx) -> Outcome {
    let mut text = c"".as_ptr();
    make_fails!(CL_INVALID_CONTEXT, cx.clCreateProgramWithSource(null_mut(), 1, &mut text, null()));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithSource(cx.context, 0, &mut text, null()));
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithSource(cx.context, 1, null_mut(), null()));
    let mut texts = [c"".as_ptr(), null()];
    make_fails!(CL_INVALID_VALUE, cx.clCreateProgramWithSource(cx.context, 2, texts.as_mut_ptr(), null()));
    Ok(())
}

fn program_life(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    let count = || query!(cx.clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT)).value::<cl_uint>();
    equal!(count()?, 1);
    ok!(cx.clRetainProgram(program));
    equal!(count()?, 2);
    ok!(cx.clReleaseProgram(program));
    equal!(build(cx, program, ""), CL_SUCCESS);
    let kernel = make!(cx.clCreateKernel(program, c"copy".as_ptr()));
    equal!(count()?, 1);
    // A kernel keeps its program alive, and queries return it.
    ok!(cx.clReleaseProgram(program));
    equal!(query!(cx.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM)).value::<cl_program>()?, program);
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_SOURCE)).string()?.as_str(), COPY);
    ok!(cx.clReleaseKernel(kernel));
    if cx.is_vendor() {
        fails!(CL_INVALID_PROGRAM, cx.clReleaseProgram(program));
    }
    Ok(())
}

fn simple_compile_only(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    ok!(cx.clCompileProgram(program, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    equal!(
        build_info::<cl_uint>(cx, program, CL_PROGRAM_BINARY_TYPE)?,
        CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT as cl_uint
    );
    // A compiled object has no kernels before it is linked.
    make_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernel(program, c"copy".as_ptr()));
    Ok(())
}

fn build_status(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    equal!(build_info::<cl_int>(cx, program, CL_PROGRAM_BUILD_STATUS)?, CL_BUILD_NONE);
    equal!(
        build_info::<cl_uint>(cx, program, CL_PROGRAM_BINARY_TYPE)?,
        CL_PROGRAM_BINARY_TYPE_NONE as cl_uint
    );
    equal!(build_text(cx, program, CL_PROGRAM_BUILD_LOG)?.as_str(), "");
    equal!(build_text(cx, program, CL_PROGRAM_BUILD_OPTIONS)?.as_str(), "");
    equal!(build(cx, program, ""), CL_SUCCESS);
    equal!(build_info::<cl_int>(cx, program, CL_PROGRAM_BUILD_STATUS)?, CL_BUILD_SUCCESS);
    equal!(
        build_info::<cl_uint>(cx, program, CL_PROGRAM_BINARY_TYPE)?,
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE as cl_uint
    );
    query_fails!(CL_INVALID_VALUE, cx.clGetProgramBuildInfo(program, cx.device, 0xdead));
    query_fails!(CL_INVALID_DEVICE, cx.clGetProgramBuildInfo(program, null_mut(), CL_PROGRAM_BUILD_LOG));
    query_fails!(CL_INVALID_PROGRAM, cx.clGetProgramBuildInfo(null_mut(), cx.device, CL_PROGRAM_BUILD_LOG));
    Ok(())
}

fn build_log(cx: &Ctx) -> Outcome {
    let program = cx.source("kernel void k(global int *a) { *a = undeclared_thing; }")?;
    equal!(build(cx, program, ""), CL_BUILD_PROGRAM_FAILURE);
    equal!(build_info::<cl_int>(cx, program, CL_PROGRAM_BUILD_STATUS)?, CL_BUILD_ERROR);
    equal!(
        build_info::<cl_uint>(cx, program, CL_PROGRAM_BINARY_TYPE)?,
        CL_PROGRAM_BINARY_TYPE_NONE as cl_uint
    );
    let log = build_text(cx, program, CL_PROGRAM_BUILD_LOG)?;
    holds!(log.contains("undeclared_thing"));
    make_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernel(program, c"k".as_ptr()));
    Ok(())
}

fn build_options(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    let options = "-DX=1 -cl-mad-enable  -w";
    equal!(build(cx, program, options), CL_SUCCESS);
    equal!(build_text(cx, program, CL_PROGRAM_BUILD_OPTIONS)?.as_str(), options);
    equal!(build(cx, program, "-no-such-option"), CL_INVALID_BUILD_OPTIONS);
    ok!(cx.clBuildProgram(program, 1, &cx.device, null(), None, null_mut()));
    equal!(build_text(cx, program, CL_PROGRAM_BUILD_OPTIONS)?.as_str(), "");
    Ok(())
}

fn options_build_macro(cx: &Ctx) -> Outcome {
    let source = "kernel void k(global int *a) { *a = VALUE + OTHER; }";
    let kernel = cx.kernel_with(source, "-DVALUE=40 -D OTHER=2", "k")?;
    let buffer = cx.buffer(&[0i32])?;
    cx.arg(kernel, 0, buffer)?;
    cx.launch(kernel, 1, None)?;
    equal!(cx.contents::<i32>(buffer, 1)?, vec![42]);
    Ok(())
}

static CALLS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(program: cl_program, data: *mut c_void) {
    CALLS.lock().expect("nobody panics here").push((program.addr(), data.addr()));
}

/// Tests that denormals are preserved, and with `-cl-denorms-are-zero` preserved or flushed. The option of one
/// program must not affect another.
fn options_denorm_cache(cx: &Ctx) -> Outcome {
    let text = "kernel void half_of(global float *x) { *x = *x * 0.5f; }";
    for (options, allowed) in [
        ("", &[0x0040_0000u32][..]),
        ("-cl-denorms-are-zero", &[0, 0x0040_0000]),
        ("-cl-opt-disable", &[0x0040_0000]),
    ] {
        let kernel = cx.kernel_with(text, options, "half_of")?;
        let buffer = cx.buffer(&[0x0080_0000u32])?;
        cx.arg(kernel, 0, buffer)?;
        cx.launch(kernel, 1, None)?;
        let result = cx.contents::<u32>(buffer, 1)?;
        holds!(allowed.contains(&result[0]));
    }
    Ok(())
}

fn build_callback(cx: &Ctx) -> Outcome {
    for (i, source) in [COPY, "an error"].into_iter().enumerate() {
        let program = cx.source(source)?;
        let data = std::ptr::without_provenance_mut(i + 1);
        let code = cx.clBuildProgram(program, 0, null(), null(), Some(note), data);
        holds!(code == CL_SUCCESS || source != COPY && code == CL_BUILD_PROGRAM_FAILURE);
        let start = std::time::Instant::now();
        while CALLS.lock().expect("nobody panics here").is_empty() {
            holds!(start.elapsed().as_secs() < 10);
            std::thread::yield_now();
        }
        let calls = std::mem::take(&mut *CALLS.lock().expect("nobody panics here"));
        equal!(calls, vec![(program.addr(), i + 1)]);
        holds!(build_info::<cl_int>(cx, program, CL_PROGRAM_BUILD_STATUS)? != CL_BUILD_IN_PROGRESS);
    }
    Ok(())
}

fn rebuild(cx: &Ctx) -> Outcome {
    let program = cx.source("kernel void k(global int *a) { *a = N; }")?;
    for n in 1..4 {
        equal!(build(cx, program, &format!("-DN={n}")), CL_SUCCESS);
        let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
        // A program with an attached kernel cannot be built.
        equal!(build(cx, program, "-DN=9"), CL_INVALID_OPERATION);
        let buffer = cx.buffer(&[0i32])?;
        cx.arg(kernel, 0, buffer)?;
        cx.launch(kernel, 1, None)?;
        ok!(cx.clReleaseKernel(kernel));
        equal!(cx.contents::<i32>(buffer, 1)?, vec![n]);
    }
    // A failed build removes the executable.
    equal!(build(cx, program, ""), CL_BUILD_PROGRAM_FAILURE);
    make_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernel(program, c"k".as_ptr()));
    Ok(())
}

fn negative_build_program(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    let data = std::ptr::without_provenance_mut(1);
    fails!(CL_INVALID_PROGRAM, cx.clBuildProgram(null_mut(), 0, null(), null(), None, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clBuildProgram(program, 0, &cx.device, null(), None, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clBuildProgram(program, 1, null(), null(), None, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clBuildProgram(program, 0, null(), null(), None, data));
    fails!(CL_INVALID_DEVICE, cx.clBuildProgram(program, 1, &cx.queue, null(), None, null_mut()));
    Ok(())
}

fn compile_with_headers(cx: &Ctx) -> Outcome {
    let header = cx.source("#define ANSWER 42\n")?;
    let program = cx.source("#include \"deep/answer.h\"\nkernel void k(global int *a) { *a = ANSWER; }")?;
    let mut name = c"deep/answer.h".as_ptr();
    ok!(cx.clCompileProgram(program, 0, null(), null(), 1, &header, &mut name, None, null_mut()));
    let mut other = c"other.h".as_ptr();
    let missing = cx.clCompileProgram(program, 0, null(), null(), 1, &header, &mut other, None, null_mut());
    fails!(CL_COMPILE_PROGRAM_FAILURE, missing);
    Ok(())
}

fn negative_compile_program(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    let mut name = c"a.h".as_ptr();
    let data = std::ptr::without_provenance_mut(1);
    let compile = |program, count, headers, names, data| {
        cx.clCompileProgram(program, 0, null(), null(), count, headers, names, None, data)
    };
    fails!(CL_INVALID_PROGRAM, compile(null_mut(), 0, null(), null_mut(), null_mut()));
    fails!(CL_INVALID_VALUE, compile(program, 1, null(), &mut name, null_mut()));
    fails!(CL_INVALID_VALUE, compile(program, 1, &program, null_mut(), null_mut()));
    fails!(CL_INVALID_VALUE, compile(program, 0, &program, null_mut(), null_mut()));
    fails!(CL_INVALID_VALUE, compile(program, 0, null(), null_mut(), data));
    fails!(CL_INVALID_PROGRAM, compile(program, 1, &cx.queue, &mut name, null_mut()));
    let options = c"-no-such-option".as_ptr();
    let wrong = cx.clCompileProgram(program, 0, null(), options, 0, null(), null_mut(), None, null_mut());
    fails!(CL_INVALID_COMPILER_OPTIONS, wrong);
    Ok(())
}

fn negative_link_program(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    make_fails!(
        CL_INVALID_CONTEXT,
        cx.clLinkProgram(null_mut(), 0, null(), null(), 1, &program, None, null_mut())
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clLinkProgram(cx.context, 0, null(), null(), 0, &program, None, null_mut())
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clLinkProgram(cx.context, 0, null(), null(), 1, null(), None, null_mut())
    );
    make_fails!(
        CL_INVALID_PROGRAM,
        cx.clLinkProgram(cx.context, 0, null(), null(), 1, &cx.queue, None, null_mut())
    );
    make_fails!(
        CL_INVALID_DEVICE,
        cx.clLinkProgram(cx.context, 1, &cx.queue, null(), 1, &program, None, null_mut())
    );
    // Linking requires compiled objects: neither sources nor executables are accepted.
    let built = cx.program_with(COPY, "")?;
    let compiled = compiled(cx, COPY)?;
    for inputs in [[program, program], [built, built], [compiled, program], [built, compiled]] {
        make_fails!(
            CL_INVALID_OPERATION,
            cx.clLinkProgram(cx.context, 0, null(), null(), 2, inputs.as_ptr(), None, null_mut())
        );
    }
    for options in [c"-D X=1", c"-enable-link-options", c"-cl-std=CL2.0"] {
        make_fails!(
            CL_INVALID_LINKER_OPTIONS,
            cx.clLinkProgram(cx.context, 0, null(), options.as_ptr(), 1, &compiled, None, null_mut())
        );
    }
    fails!(CL_INVALID_BUILD_OPTIONS, build(cx, program, "-create-library"));
    Ok(())
}

/// Returns a compiled program.
fn compiled(cx: &Ctx, text: &str) -> Outcome<cl_program> {
    let program = cx.source(text)?;
    ok!(cx.clCompileProgram(program, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    Ok(program)
}

/// Links programs and returns the result and the error code.
pub(super) fn link(cx: &Ctx, options: &str, inputs: &[cl_program]) -> (cl_program, cl_int) {
    let (options, count, mut code) = (c_string(options), inputs.len() as cl_uint, 1);
    let (context, inputs) = (cx.context, inputs.as_ptr());
    let call =
        |code| cx.clLinkProgram(context, 0, null(), options.as_ptr(), count, inputs, None, null_mut(), code);
    (call(&mut code), code)
}

const CALLER: &str = "int twice(int x);
    kernel void k(global int *a) { size_t i = get_global_id(0); a[i] = twice(a[i]); }";
const CALLED: &str = "int twice(int x) { return x * 2; }";

/// Runs the kernel `k` of the two units above, linked.
fn doubles(cx: &Ctx, program: cl_program) -> Outcome {
    let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
    let buffer = cx.buffer(&[1i32, 2, 3, 4])?;
    cx.arg(kernel, 0, buffer)?;
    cx.launch(kernel, 4, None)?;
    equal!(cx.contents::<i32>(buffer, 4)?, vec![2, 4, 6, 8]);
    Ok(())
}

fn simple_compile_and_link(cx: &Ctx) -> Outcome {
    let units = [compiled(cx, CALLER)?, compiled(cx, CALLED)?];
    let (program, code) = link(cx, "-cl-fast-relaxed-math", &units);
    equal!(code, CL_SUCCESS);
    for unit in units {
        ok!(cx.clReleaseProgram(unit));
    }
    equal!(build_info::<cl_int>(cx, program, CL_PROGRAM_BUILD_STATUS)?, CL_BUILD_SUCCESS);
    equal!(build_text(cx, program, CL_PROGRAM_BUILD_OPTIONS)?.as_str(), "-cl-fast-relaxed-math");
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES)).string()?.as_str(), "k");
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_SOURCE)).string()?.as_str(), "");
    equal!(query!(cx.clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT)).value::<cl_uint>()?, 1);
    doubles(cx, program)
}

fn program_binary_type(cx: &Ctx) -> Outcome {
    let kind = |program| build_info::<cl_uint>(cx, program, CL_PROGRAM_BINARY_TYPE);
    let object = compiled(cx, COPY)?;
    equal!(kind(cx.source(COPY)?)?, CL_PROGRAM_BINARY_TYPE_NONE as cl_uint);
    let (library, _) = link(cx, "-create-library", &[object]);
    let (executable, _) = link(cx, "", &[library]);
    let all = [
        (object, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT),
        (library, CL_PROGRAM_BINARY_TYPE_LIBRARY),
        (executable, CL_PROGRAM_BINARY_TYPE_EXECUTABLE),
    ];
    for (program, expected) in all {
        equal!(kind(program)?, expected as cl_uint);
        let (loaded, status, code) = with_binary(cx, &binary(cx, program)?);
        equal!((status, code), (CL_SUCCESS, CL_SUCCESS));
        equal!(kind(loaded)?, expected as cl_uint);
        if program != executable {
            make_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernel(program, c"copy".as_ptr()));
            query_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS));
        }
        // Programs of all binary types can be built.
        equal!(build(cx, loaded, ""), CL_SUCCESS);
        equal!(kind(loaded)?, CL_PROGRAM_BINARY_TYPE_EXECUTABLE as cl_uint);
        make!(cx.clCreateKernel(loaded, c"copy".as_ptr()));
    }
    Ok(())
}

fn link_error_returns_program(cx: &Ctx) -> Outcome {
    let (program, code) = link(cx, "", &[compiled(cx, CALLER)?]);
    equal!(code, CL_LINK_PROGRAM_FAILURE);
    holds!(!program.is_null());
    equal!(build_info::<cl_int>(cx, program, CL_PROGRAM_BUILD_STATUS)?, CL_BUILD_ERROR);
    holds!(build_text(cx, program, CL_PROGRAM_BUILD_LOG)?.contains("'twice'"));
    make_fails!(CL_INVALID_PROGRAM_EXECUTABLE, cx.clCreateKernel(program, c"k".as_ptr()));
    let (program, code) = link(cx, "", &[compiled(cx, CALLED)?, compiled(cx, CALLED)?]);
    equal!(code, CL_LINK_PROGRAM_FAILURE);
    holds!(build_text(cx, program, CL_PROGRAM_BUILD_LOG)?.contains("more than once"));
    // Building a compiled object that was loaded from a binary links it. This can fail.
    let (loaded, _, _) = with_binary(cx, &binary(cx, compiled(cx, CALLER)?)?);
    equal!(build(cx, loaded, ""), CL_BUILD_PROGRAM_FAILURE);
    holds!(build_text(cx, loaded, CL_PROGRAM_BUILD_LOG)?.contains("'twice'"));
    Ok(())
}

static LINKED: Mutex<Option<usize>> = Mutex::new(None);

unsafe extern "C" fn note_linked(program: cl_program, _data: *mut c_void) {
    if let Ok(mut linked) = LINKED.lock() {
        *linked = Some(program as usize);
    }
}

fn simple_link_with_callback(cx: &Ctx) -> Outcome {
    let units = [compiled(cx, CALLER)?, compiled(cx, CALLED)?];
    let noted = || LINKED.lock().ok().and_then(|mut linked| linked.take());
    let notify = Some(note_linked as unsafe extern "C" fn(cl_program, *mut c_void));
    let data = std::ptr::without_provenance_mut(1);
    for (count, status) in [(2, CL_BUILD_SUCCESS), (1, CL_BUILD_ERROR)] {
        let program =
            make!(cx.clLinkProgram(cx.context, 0, null(), null(), count, units.as_ptr(), notify, data));
        equal!(noted(), Some(program as usize));
        equal!(build_info::<cl_int>(cx, program, CL_PROGRAM_BUILD_STATUS)?, status);
    }
    Ok(())
}

fn execute_after_serialize_reload_object(cx: &Ctx) -> Outcome {
    let (object, _, _) = with_binary(cx, &binary(cx, compiled(cx, CALLER)?)?);
    let (library, code) = link(cx, "-create-library -enable-link-options", &[compiled(cx, CALLED)?]);
    equal!(code, CL_SUCCESS);
    let (library, _, _) = with_binary(cx, &binary(cx, library)?);
    let (program, code) = link(cx, "", &[object, library]);
    equal!(code, CL_SUCCESS);
    doubles(cx, program)
}

fn link_recursion(cx: &Ctx) -> Outcome {
    let ping = compiled(cx, "int pong(int x); int ping(int x) { return x ? pong(x - 1) : 0; }")?;
    let pong = compiled(cx, "int ping(int x); int pong(int x) { return x ? ping(x - 1) : 1; }")?;
    let (program, code) = link(cx, "", &[ping, pong]);
    equal!(code, CL_LINK_PROGRAM_FAILURE);
    holds!(build_text(cx, program, CL_PROGRAM_BUILD_LOG)?.contains("recursion"));
    Ok(())
}

fn link_library_in_steps(cx: &Ctx) -> Outcome {
    // A library may have undefined symbols, which a later link resolves.
    let (library, code) = link(cx, "-create-library", &[compiled(cx, CALLER)?]);
    equal!(code, CL_SUCCESS);
    let (_, code) = link(cx, "", &[library]);
    equal!(code, CL_LINK_PROGRAM_FAILURE);
    let (program, code) = link(cx, "", &[library, compiled(cx, CALLED)?]);
    equal!(code, CL_SUCCESS);
    doubles(cx, program)
}

/// Tests a function of one unit that calls blocks created in two other units.
fn link_blocks(cx: &Ctx) -> Outcome {
    let unit = |text: &str| {
        let program = cx.source(text)?;
        let options = c"-cl-std=CL2.0".as_ptr();
        ok!(cx.clCompileProgram(program, 0, null(), options, 0, null(), null_mut(), None, null_mut()));
        Ok(program)
    };
    let apply = unit("int apply(int (^f)(int), int x) { return f(x); }")?;
    let double = unit(
        "int apply(int (^f)(int), int x);
        int twice(int by, int x) { return apply(^(int y) { return by * y; }, x); }",
    )?;
    let kernel = unit(
        "int apply(int (^f)(int), int x); int twice(int by, int x);
        kernel void k(global int *a) {
            size_t i = get_global_id(0);
            apply(^(int by) { a[i] = twice(by, a[i]); return 0; }, 2);
        }",
    )?;
    let (program, code) = link(cx, "", &[apply, double, kernel]);
    equal!(code, CL_SUCCESS);
    doubles(cx, program)
}

/// Returns the binary of a program for its only device.
pub(super) fn binary(cx: &Ctx, program: cl_program) -> Outcome<Vec<u8>> {
    let sizes = query!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES)).array::<usize>()?;
    let mut bytes = vec![0u8; sizes[0]];
    let mut pointer: *mut u8 = bytes.as_mut_ptr();
    let value = (&raw mut pointer).cast();
    let mut size = 0;
    ok!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARIES, size_of::<*mut u8>(), value, &mut size));
    equal!(size, size_of::<*mut u8>());
    Ok(bytes)
}

fn binary_get(cx: &Ctx) -> Outcome {
    let program = cx.source(COPY)?;
    let sizes = query!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES)).array::<usize>()?;
    equal!(sizes, vec![0]);
    equal!(build(cx, program, ""), CL_SUCCESS);
    let first = binary(cx, program)?;
    holds!(!first.is_empty());
    // Builds are reproducible: the same source has the same binary.
    equal!(binary(cx, cx.program_with(COPY, "")?)?, first);
    // A NULL entry is skipped. A buffer that is too small is an error.
    let mut nothing: *mut u8 = null_mut();
    let value: *mut c_void = (&raw mut nothing).cast();
    ok!(cx.clGetProgramInfo(program, CL_PROGRAM_BINARIES, 8, value, null_mut()));
    fails!(CL_INVALID_VALUE, cx.clGetProgramInfo(program, CL_PROGRAM_BINARIES, 4, value, null_mut()));
    Ok(())
}

pub(super) fn with_binary(cx: &Ctx, bytes: &[u8]) -> (cl_program, cl_int, cl_int) {
    let (mut status, mut code) = (1, 1);
    let (size, mut pointer) = (bytes.len(), bytes.as_ptr());
    let program =
        cx.clCreateProgramWithBinary(cx.context, 1, &cx.device, &size, &mut pointer, &mut status, &mut code);
    (program, status, code)
}

fn binary_create(cx: &Ctx) -> Outcome {
    let bytes = binary(cx, cx.program_with(COPY, "")?)?;
    let (program, status, code) = with_binary(cx, &bytes);
    equal!((status, code), (CL_SUCCESS, CL_SUCCESS));
    equal!(build(cx, program, ""), CL_SUCCESS);
    equal!(binary(cx, program)?, bytes);
    let kernel = make!(cx.clCreateKernel(program, c"copy".as_ptr()));
    let (a, b) = (cx.buffer(&[1i32, 2, 3, 4])?, cx.buffer(&[0i32; 4])?);
    cx.arg(kernel, 0, a)?;
    cx.arg(kernel, 1, b)?;
    cx.launch(kernel, 4, None)?;
    equal!(cx.contents::<i32>(b, 4)?, vec![1, 2, 3, 4]);
    Ok(())
}

fn binary_of_2_0(cx: &Ctx) -> Outcome {
    // A binary keeps the effect of its build options.
    let source = "kernel void k(global uint *a) { a[get_global_id(0)] = get_local_size(0); }";
    let bytes = binary(cx, cx.program_with(source, "-cl-std=CL2.0")?)?;
    let (program, _, code) = with_binary(cx, &bytes);
    equal!(code, CL_SUCCESS);
    equal!(build(cx, program, ""), CL_SUCCESS);
    let kernel = make!(cx.clCreateKernel(program, c"k".as_ptr()));
    let buffer = cx.buffer(&[0u32; 10])?;
    cx.arg(kernel, 0, buffer)?;
    cx.launch(kernel, 10, Some(8))?;
    equal!(cx.contents::<u32>(buffer, 10)?, vec![8, 8, 8, 8, 8, 8, 8, 8, 2, 2]);
    Ok(())
}

fn negative_create_program_with_binary(cx: &Ctx) -> Outcome {
    let bytes = binary(cx, cx.program_with(COPY, "")?)?;
    // Damage at any offset is detected.
    for place in [0, 1, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x40;
        let (program, status, code) = with_binary(cx, &damaged);
        equal!((program, status, code), (null_mut(), CL_INVALID_BINARY, CL_INVALID_BINARY));
    }
    for damaged in [&bytes[..bytes.len() - 1], &bytes[1..], &[0u8; 64]] {
        let (program, status, code) = with_binary(cx, damaged);
        equal!((program, status, code), (null_mut(), CL_INVALID_BINARY, CL_INVALID_BINARY));
    }
    let (_, status, code) = with_binary(cx, &[]);
    equal!((status, code), (CL_INVALID_VALUE, CL_INVALID_VALUE));
    let (size, mut pointer) = (bytes.len(), bytes.as_ptr());
    let out = null_mut();
    make_fails!(
        CL_INVALID_CONTEXT,
        cx.clCreateProgramWithBinary(null_mut(), 1, &cx.device, &size, &mut pointer, out)
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clCreateProgramWithBinary(cx.context, 0, &cx.device, &size, &mut pointer, out)
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clCreateProgramWithBinary(cx.context, 1, null(), &size, &mut pointer, out)
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clCreateProgramWithBinary(cx.context, 1, &cx.device, null(), &mut pointer, out)
    );
    make_fails!(
        CL_INVALID_VALUE,
        cx.clCreateProgramWithBinary(cx.context, 1, &cx.device, &size, null_mut(), out)
    );
    make_fails!(
        CL_INVALID_DEVICE,
        cx.clCreateProgramWithBinary(cx.context, 1, &cx.queue, &size, &mut pointer, out)
    );
    Ok(())
}

fn negative_program(cx: &Ctx) -> Outcome {
    for handle in [null_mut(), cx.queue] {
        fails!(CL_INVALID_PROGRAM, cx.clRetainProgram(handle));
        fails!(CL_INVALID_PROGRAM, cx.clReleaseProgram(handle));
        query_fails!(CL_INVALID_PROGRAM, cx.clGetProgramInfo(handle, CL_PROGRAM_SOURCE));
    }
    let program = cx.source(COPY)?;
    query_fails!(CL_INVALID_VALUE, cx.clGetProgramInfo(program, 0xdead));
    Ok(())
}

fn global_variable_size(cx: &Ctx) -> Outcome {
    let none = cx.program_with(COPY, "-cl-std=CL2.0")?;
    equal!(build_info::<usize>(cx, none, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)?, 0);
    let source = "global int x[25]; kernel void k(global int *a) { *a = x[3]; }";
    let some = cx.program_with(source, "-cl-std=CL2.0")?;
    holds!(build_info::<usize>(cx, some, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)? >= 100);
    Ok(())
}
