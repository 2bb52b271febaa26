//! Tests of the commands that take SPIR-V.

use std::fs;
use std::process::Stdio;

use super::{command, folder, grus, put, said};

/// Kernel `add`, which adds a specialization constant of SpecId 7, 1 by itself, to each element.
const ADD: &str = "
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %add \"add\" %id
    OpName %p \"x\"
    OpDecorate %id BuiltIn GlobalInvocationId
    OpDecorate %one SpecId 7
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %ulong = OpTypeInt 64 0
    %ulong3 = OpTypeVector %ulong 3
    %input = OpTypePointer Input %ulong3
    %global = OpTypePointer CrossWorkgroup %uint
    %type = OpTypeFunction %void %global
    %one = OpSpecConstant %uint 1
    %id = OpVariable %input Input
    %add = OpFunction %void None %type
    %p = OpFunctionParameter %global
    %entry = OpLabel
    %ids = OpLoad %ulong3 %id Aligned 32
    %i = OpCompositeExtract %ulong %ids 0
    %at = OpInBoundsPtrAccessChain %global %p %i
    %old = OpLoad %uint %at Aligned 4
    %new = OpIAdd %uint %old %one
    OpStore %at %new Aligned 4
    OpReturn
    OpFunctionEnd
";

fn module(text: &str) -> Vec<u8> {
    grus_assembler::assemble(text).expect("SPIR-V")
}

#[test]
fn what_is_no_module() {
    let folder = folder("il-wrong");
    put(&folder, "a.spv", module(&ADD.replace("OpCapability Int64", "OpCapability Shader")));
    let error = grus(&folder, &["build", "a.spv"]).status(1).err;
    assert!(error.starts_with("grus: error: a.spv: ") && error.contains("Shader"), "{error}");
    // In the other byte order, without its end.
    let whole: Vec<u8> = module(ADD).chunks_exact(4).flat_map(|word| word.iter().rev().copied()).collect();
    put(&folder, "b.spv", &whole[..whole.len() - 4]);
    let error = grus(&folder, &["build", "b.spv"]).status(1).err;
    assert!(error.starts_with("grus: error: b.spv: ") && error.contains("word "), "{error}");
}

#[test]
fn a_module_that_breaks_a_rule() {
    let folder = folder("il-rule");
    put(&folder, "a.spv", module(&ADD.replace("OpIAdd %uint %old", "OpIAdd %uint %p")));
    for options in [&["build", "a.spv"][..], &["build", "-c", "a.spv"]] {
        let error = grus(&folder, options).status(1).err;
        assert!(error.contains("error: "), "{error}");
    }
}

#[test]
fn modules_are_built_run_and_captured() {
    let folder = folder("il");
    put(&folder, "a.spv", module(ADD));
    let built = grus(&folder, &["build", "a.spv", "-k"]).status(0);
    assert!(built.out.contains("add"), "{}", built.out);
    let from = fs::File::open(folder.join("a.spv")).expect("just written");
    said(command(&folder).args(["build", "-"]).stdin(from)).status(0);
    said(command(&folder).args(["build", "-l", "a.spv"]).stdin(Stdio::null())).status(0);
    let mut capture = command(&folder);
    capture.args(["capture", "-o", "a.tar.gz", "--"]).arg(env!("CARGO_BIN_EXE_grus"));
    capture.args(["run", "a.spv", "-q", "-k", "add", "-g", "100", "iota"]).env("TMPDIR", &folder);
    said(&mut capture).status(0);
    let replayed = grus(&folder, &["replay", "a.tar.gz"]).status(0).out;
    assert!(replayed.starts_with("x: as captured"), "{replayed}");
}
