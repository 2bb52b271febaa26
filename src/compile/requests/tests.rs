//! Functions for requests: of every row of the tables for all types, and in place of a module's declarations.

use std::collections::HashSet;

use super::super::build_ir;
use super::*;
use grus_exec::{self as exec, Launch, NdRange};
use grus_ir::{Kind, Type};
use grus_spirv::request::{ArgType, Sample, Space, samples};
use grus_support::stack::on_stack;

fn request(name: &str, result: &str, params: &[&str]) -> Request {
    let params = params.iter().map(|&param| param.to_owned()).collect();
    Request { name: name.into(), result: result.into(), params, is_relaxed: false }
}

/// Held by tests that lower requests: one of them looks at what is kept.
static LOWERING: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn lowered(requests: &[Request]) -> Result<RequestedFunctions, Vec<RequestError>> {
    let _held = LOWERING.lock();
    lowered_alone(requests)
}

fn lowered_alone(requests: &[Request]) -> Result<RequestedFunctions, Vec<RequestError>> {
    on_stack(grus_clc::STACK_SIZE, || lower_requests(requests, &Options::default())).expect("a stack")
}

/// Returns the requests of a small module, and a kernel that calls their functions.
fn example() -> (Vec<Request>, Module) {
    let requests = vec![
        request("sin", "float", &["float"]),
        request("work_group_all", "bool", &["bool"]),
        request("sin", "float", &["float"]).relaxed(),
    ];
    let text = r#"
func f0 "sine" f32 {
}
func f1 "all" i8 {
}
func f2 "quick" f32 {
}
func f3 "k" void kernel {
b0(v0: ptr.global, v1: i8):
    v2 = load.f32 align 4 v0
    v3 = call.f32 f0 v2
    v4 = call.f32 f2 v3
    v5 = call.i8 f1 v1
    v6 = zext.i32 v5
    v7 = uitofp.f32 v6
    v8 = fadd.f32 v4, v7
    store align 4 v0, v8
    ret
}
"#;
    (requests, grus_ir::parse_module(text).expect("valid text"))
}

const EXAMPLE: [(usize, usize); 3] = [(0, 0), (1, 1), (2, 2)];

fn places(of: &[(usize, usize)]) -> Vec<(FuncId, usize)> {
    of.iter().map(|&(func, index)| (FuncId::new(func), index)).collect()
}

#[test]
fn every_row_resolves_for_every_type() {
    let mut seen = HashSet::new();
    let all: Vec<_> = samples().into_iter().filter(|sample| seen.insert(sample.request.clone())).collect();
    let mut failures = Vec::new();
    for batch in all.chunks(MAX_TOGETHER) {
        let requests: Vec<Request> = batch.iter().map(|sample| sample.request.clone()).collect();
        match lowered(&requests) {
            Ok(requested) => check_types(batch, &requested),
            Err(errors) => {
                let texts = errors.iter().map(|error| format!("{}: {error}", batch[error.index].instruction));
                failures.extend(texts);
            }
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), all.len(), failures.join("\n"));
}

/// Checks whether functions have the types in IR that a translator expects.
fn check_types(batch: &[Sample], requested: &RequestedFunctions) {
    for (sample, body) in batch.iter().zip(&requested.bodies) {
        let func = &body.module.funcs[body.func];
        let params: Vec<Type> = func.params().iter().map(|&param| func.ty(param)).collect();
        let mut wanted: Vec<Type> = sample.operands.iter().map(|&ty| ir_type(ty)).collect();
        let mut result = ir_type(sample.result);
        if sample.result == ArgType::NdRange {
            // Structures are stored where the first parameter points.
            wanted.insert(0, std::mem::replace(&mut result, Type::VOID));
        }
        assert_eq!((func.ret, &params), (result, &wanted), "{}: {:?}", sample.instruction, sample.request);
    }
}

fn ir_type(ty: ArgType) -> Type {
    let vector = |kind, lanes: u8| Type::vector(kind, lanes.into());
    match ty {
        ArgType::Void => Type::VOID,
        ArgType::Bool { lanes } => vector(Kind::I8, lanes),
        ArgType::Int { bits, lanes } => vector(Kind::int_of_bits(bits.into()), lanes),
        ArgType::Float { bits: 16, lanes } => vector(Kind::F16, lanes),
        ArgType::Float { bits: 32, lanes } => vector(Kind::F32, lanes),
        ArgType::Float { lanes, .. } => vector(Kind::F64, lanes),
        ArgType::Pointer { space: Space::Private, .. } | ArgType::NdRange => Type::PRIVATE,
        ArgType::Pointer { space: Space::Global, .. } | ArgType::Pipe { .. } => Type::GLOBAL,
        ArgType::Pointer { space: Space::Local, .. } => Type::LOCAL,
        ArgType::Pointer { space: Space::Constant, .. } | ArgType::Image(_) => Type::CONSTANT,
        ArgType::Pointer { space: Space::Generic, .. } => Type::scalar(Kind::PtrGeneric),
        ArgType::Sampler => Type::I32,
        ArgType::Event | ArgType::DeviceEvent | ArgType::Queue | ArgType::ReserveId => Type::I64,
    }
}

#[test]
fn rows_have_the_same_types_in_relaxed_builds() {
    // One combination of types for each function: the library declares some of them twice.
    let mut seen = HashSet::new();
    let one_each = samples().into_iter().filter(|sample| seen.insert(sample.request.name.clone()));
    let requests: Vec<Request> = one_each.map(|sample| sample.request.relaxed()).collect();
    let errors = lowered(&requests).err().unwrap_or_default();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn functions_take_the_places_of_declarations() {
    let (requests, mut module) = example();
    let requested = lowered(&requests).expect("builtins");
    resolve_requests(&mut module, &places(&EXAMPLE), &requested).expect("the types fit");
    grus_ir::verify_module(&module).expect("valid IR");
    let names: Vec<&str> = module.funcs.values().take(4).map(|func| func.name.as_str()).collect();
    assert_eq!(names, ["sine", "all", "quick", "k"]);
    for func in module.funcs.values().filter(|func| !func.is_kernel) {
        assert!(func.is_defined() && func.linkage == Linkage::Internal, "{func}");
    }
    assert_ne!(calls_in(&module, 0), calls_in(&module, 2), "the relaxed form is another function");
    // A large argument: its reduction reads a table of the library.
    let mut value = 1.5e30f32;
    run(&module, &[value_address(&mut value), 1]);
    // The relaxed form of a small argument is within 2^-11.
    assert!((value - (1.5e30f32.sin().sin() + 1.0)).abs() < 0.0005, "{value}");
}

fn value_address(value: &mut f32) -> u64 {
    std::ptr::from_mut(value) as u64
}

/// Runs the kernel of a module with one work-item.
fn run(module: &Module, args: &[u64]) {
    let artifact = build_ir(&module.to_string()).expect("a program");
    let kernel = artifact.compiled(0).expect("machine code");
    let bytes: Vec<u8> = args.iter().flat_map(|arg| arg.to_le_bytes()).collect();
    let range = NdRange { work_dim: 1, offset: [0; 3], global: [1; 3], local: [1; 3] };
    exec::run(&kernel, &Launch::new(&kernel, range, (&bytes[..]).into(), []), None).expect("it runs");
}

/// Returns the names of the functions that a function calls.
fn calls_in(module: &Module, func: usize) -> Vec<String> {
    calls(&module.funcs[FuncId::new(func)]).map(|(callee, ..)| module.funcs[callee].to_string()).collect()
}

#[test]
fn one_request_may_have_several_declarations() {
    let (requests, mut module) = example();
    let requested = lowered(&requests).expect("builtins");
    resolve_requests(&mut module, &places(&[(0, 0), (1, 1), (2, 0)]), &requested).expect("the types fit");
    grus_ir::verify_module(&module).expect("valid IR");
    assert_eq!(calls_in(&module, 0), calls_in(&module, 2));
}

#[test]
fn other_types_are_errors() {
    let (mut requests, module) = example();
    let resolve = |requests: &[Request], of: &[(usize, usize)]| {
        let requested = lowered(requests).expect("builtins");
        resolve_requests(&mut module.clone(), &places(of), &requested)
    };
    assert_eq!(resolve(&requests, &[(0, 0), (1, 7)]), Err(ResolveError::Missing { index: 7 }));
    requests[0] = request("sin", "double", &["double"]);
    let result = ResolveError::Result { name: "sine".into(), index: 0 };
    assert_eq!(resolve(&requests, &EXAMPLE), Err(result));
    requests[0] = request("length", "float", &["float4"]);
    let call = ResolveError::Call { caller: "k".into(), index: 0 };
    assert_eq!(resolve(&requests, &EXAMPLE), Err(call));
}

#[test]
fn requests_without_a_function_are_named() {
    let requests = [
        request("fmax", "float", &["float", "float"]),
        request("fmax", "int4", &["sampler_t"]),
        request("no_such_function", "void", &[]),
        request("cross", "float2", &["float2", "float2"]).relaxed(),
    ];
    let errors = lowered(&requests).expect_err("three mistakes");
    assert_eq!(errors.iter().map(|error| error.index).collect::<Vec<_>>(), [1, 2, 3]);
    let first = errors[0].to_string();
    assert!(
        first.starts_with("no builtin function is 'int4 fmax(sampler_t a0)':\nrequests.cl:1:"),
        "{first}"
    );
    assert!(errors[1].log.contains("no_such_function"), "{}", errors[1].log);
}

#[test]
fn functions_are_kept() {
    let _held = LOWERING.lock();
    let kept = [request("acospi", "float", &["float"]), request("asinpi", "double3", &["double3"])];
    let first = lowered_alone(&kept).expect("builtins");
    let again = lowered_alone(&[kept[1].clone(), request("tanpi", "float", &["float"]), kept[0].clone()]);
    let again = again.expect("builtins");
    assert!(Arc::ptr_eq(&first.bodies[0].module, &again.bodies[2].module));
    assert_eq!((first.bodies[1].func, first.bodies[0].func), (again.bodies[0].func, again.bodies[2].func));
    let relaxed = Options { fast_relaxed_math: true, ..Options::default() };
    let relaxed = on_stack(grus_clc::STACK_SIZE, || lower_requests(&kept, &relaxed)).expect("a stack");
    assert!(!Arc::ptr_eq(&first.bodies[0].module, &relaxed.expect("builtins").bodies[0].module));
}
