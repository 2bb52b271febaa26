//! Tests of the rules of SPIR-V modules: a fixture for each, and the time that large modules take.

use std::fs;
use std::path::{Path, PathBuf};

use grus_assembler::assemble;
use grus_spirv::{Machine, Messages, Module, Opcode, SpecValues, Translated, translate};

fn translated(text: &str) -> Result<Translated, Messages> {
    let bytes = assemble(text).unwrap_or_else(|error| panic!("{error}"));
    let module = Module::read(&bytes).unwrap_or_else(|error| panic!("{error}"));
    translate(&module, &SpecValues::default(), Machine::default())
}

fn build(text: &str) -> Result<(), Messages> {
    translated(text).map(drop)
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spirv/rules");
    let entries = fs::read_dir(&folder).expect("the fixtures are there").flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "spvasm"));
    found.sort();
    assert!(found.len() > 100, "{} fixtures", found.len());
    found
}

/// Checks each fixture: the first lines are `; ok`, or `; error: ` and a message, all there are. `BLESS=1` writes them.
#[test]
fn fixtures_of_the_rules() {
    let is_expected = |line: &&str| *line == "; ok" || line.starts_with("; error: ");
    let mut wrong = Vec::new();
    for path in fixtures() {
        let text = fs::read_to_string(&path).expect("readable");
        let expected: Vec<&str> = text.lines().take_while(is_expected).collect();
        let rest: Vec<&str> = text.lines().skip(expected.len()).collect();
        let rest = rest.join("\n");
        let bytes = assemble(&rest).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let module = Module::read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let found = match translate(&module, &SpecValues::default(), Machine::default()) {
            Ok(_) => "; ok\n".to_owned(),
            Err(messages) => messages.to_string().lines().map(|line| format!("; {line}\n")).collect(),
        };
        if found.lines().ne(expected.iter().copied()) {
            wrong.push(format!("{}:\n  {}\n  {found}", path.display(), expected.join("\n  ")));
            if std::env::var_os("BLESS").is_some() {
                fs::write(&path, format!("{found}{rest}\n")).expect("writable");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

const HEAD: &str = "\
    OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n%void = OpTypeVoid\n\
    %bool = OpTypeBool\n%int = OpTypeInt 32 0\n%one = OpConstant %int 1\n%true = OpConstantTrue %bool\n\
    %type = OpTypeFunction %void\n%f = OpFunction %void None %type\n%entry = OpLabel\n";

/// Builds a function of these blocks, whose text depends on the number of the block.
#[track_caller]
fn accepted(count: usize, head: &str, block: impl Fn(usize) -> String) {
    let blocks: String = (0..count).map(block).collect();
    let text = format!("{HEAD}{head}{blocks}%b{count} = OpLabel\nOpReturn\nOpFunctionEnd\n");
    build(&text).unwrap_or_else(|messages| panic!("{messages}"));
}

/// Blocks that follow each other, with a way around all of them from each: what a walk up a tree of dominators takes
/// long for, and a list of predecessors as well.
#[test]
fn many_blocks() {
    let count = 100_000;
    accepted(count, "OpBranch %b0\n", |at| {
        let next = at + 1;
        format!("%b{at} = OpLabel\nOpBranchConditional %true %b{next} %b{count}\n")
    });
}

/// Blocks that each lead forward and back, so that the flow has no structure.
#[test]
fn many_blocks_without_structure() {
    let count = 30_000;
    accepted(count, "OpBranchConditional %true %b0 %b15000\n", |at| {
        let (next, other) = (at + 1, at * 7919 % count);
        format!("%b{at} = OpLabel\nOpBranchConditional %true %b{next} %b{other}\n")
    });
}

#[test]
fn many_phis() {
    let count = 10_000;
    accepted(count, "OpBranch %b0\n", |at| {
        let (next, before) = (at + 1, at.checked_sub(1).map_or("entry".into(), |at| format!("b{at}")));
        let value = at.checked_sub(1).map_or("one".into(), |at| format!("p{at}"));
        format!("%b{at} = OpLabel\n%p{at} = OpPhi %int %{value} %{before}\nOpBranch %b{next}\n")
    });
}

/// A φ with an operand for each case of a switch.
#[test]
fn a_phi_with_many_operands() {
    let count = 3_000;
    let cases: String = (0..count).map(|at| format!(" {at} %b{at}")).collect();
    let operands: String = (0..count).map(|at| format!(" %one %b{at}")).collect();
    let head = format!("OpSwitch %one %join{cases}\n");
    let end = format!("OpReturn\n%join = OpLabel\n%phi = OpPhi %int %one %entry{operands}\n");
    let text: String = (0..count).map(|at| format!("%b{at} = OpLabel\nOpBranch %join\n")).collect();
    let text = format!("{HEAD}{head}{text}%last = OpLabel\n{end}OpReturn\nOpFunctionEnd\n");
    build(&text).unwrap_or_else(|messages| panic!("{messages}"));
}

/// Messages about a name of a megabyte cost no more than others.
#[test]
fn many_faults_with_a_long_name() {
    let name = "x".repeat(200_000);
    let faults: String = (0..100_000).map(|_| "OpStore %one %one\n").collect();
    let head = HEAD.replace("%void = ", &format!("OpName %one \"{name}\"\n%void = "));
    let messages = build(&format!("{head}{faults}OpReturn\nOpFunctionEnd\n")).expect_err("faults");
    assert_eq!((messages.list.len(), messages.more), (20, 99_980));
    assert!(messages.to_string().len() < 20_000);
}

/// Builds a module in which words are put behind those of one instruction, and their number is added to it.
fn build_longer(text: &str, opcode: Opcode, more: &[u32]) -> Result<(), Messages> {
    let bytes = assemble(text).unwrap_or_else(|error| panic!("{error}"));
    let words = bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    let mut words: Vec<u32> = words.collect();
    let at =
        words.iter().position(|&word| word as u16 == opcode as u16 && word >> 16 > 1).expect("it is there");
    let end = at + (words[at] >> 16) as usize;
    words[at] += (more.len() as u32) << 16;
    words.splice(end..end, more.iter().copied());
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let module = Module::read(&bytes).unwrap_or_else(|error| panic!("{error}"));
    translate(&module, &SpecValues::default(), Machine::default()).map(drop)
}

/// Checks that the first message is this.
#[track_caller]
fn refused(result: Result<(), Messages>, text: &str) {
    assert_eq!(result.expect_err("a fault").list[0].text, text);
}

#[test]
fn universal_limits() {
    let switch = format!("{HEAD}OpSwitch %one %9\n%9 = OpLabel\nOpReturn\nOpFunctionEnd\n");
    let cases = |count: u32| (0..count).flat_map(|at| [at, 9]).collect::<Vec<u32>>();
    assert!(build_longer(&switch, Opcode::Switch, &cases(16_383)).is_ok());
    let more = build_longer(&switch, Opcode::Switch, &cases(16_384));
    refused(more, "there are 16384 cases; 16383 are the limit");
    let types = "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n\
        %1 = OpTypeInt 32 0\n%2 = OpTypeFunction %1\n%3 = OpTypeStruct %1\n";
    assert!(build_longer(types, Opcode::TypeFunction, &[1; 255]).is_ok());
    let more = build_longer(types, Opcode::TypeFunction, &[1; 256]);
    refused(more, "the type has 256 parameters; 255 are the limit");
    assert!(build_longer(types, Opcode::TypeStruct, &[1; 16_382]).is_ok());
    let more = build_longer(types, Opcode::TypeStruct, &[1; 16_383]);
    refused(more, "the type has 16384 members; 16383 are the limit");
}

/// Entry points of one function with many parameters are not each a look at all of these.
#[test]
fn many_entry_points_of_one_function() {
    let entries: String = (0..2000).map(|at| format!("OpEntryPoint Kernel %f \"k{at}\"\n")).collect();
    let params = "%p = OpFunctionParameter %bool\n".repeat(200);
    let params: String =
        params.lines().enumerate().map(|(at, line)| line.replace("%p", &format!("%p{at}")) + "\n").collect();
    let head = HEAD.replace("%void = ", &format!("{entries}%void = "));
    let head = head.replace("OpTypeFunction %void", &format!("OpTypeFunction %void{}", " %bool".repeat(200)));
    let head = head.replace("%entry = ", &format!("{params}%entry = "));
    let messages = build(&format!("{head}OpReturn\nOpFunctionEnd\n")).expect_err("a bool is no argument");
    assert_eq!((messages.list.len(), messages.more), (1, 0), "{messages}");
}

/// Checks that each kernel looks at its own strings only.
#[test]
fn many_kernels_with_strings() {
    let count = 20_000;
    let all = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let entries = all(&|at| format!("OpEntryPoint Kernel %f{at} \"k{at}\"\n"));
    let types = all(&|at| format!("%s{at} = OpString \"kernel_arg_type.k{at}.t{at},\"\n"));
    let qualifiers = all(&|at| format!("%q{at} = OpString \"kernel_arg_type_qual.k{at}.const,\"\n"));
    let functions = all(&|at| {
        format!(
            "%f{at} = OpFunction %void None %type\n%p{at} = OpFunctionParameter %int\n%e{at} = OpLabel\n\
             OpReturn\nOpFunctionEnd\n"
        )
    });
    let text = format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n{entries}{types}\
         {qualifiers}%void = OpTypeVoid\n%int = OpTypeInt 32 0\n%type = OpTypeFunction %void %int\n{functions}"
    );
    let translated = translated(&text).unwrap_or_else(|messages| panic!("{messages}"));
    assert_eq!(translated.kernels.len(), count);
    for (at, kernel) in translated.kernels.iter().enumerate() {
        let [param] = &kernel.params[..] else { panic!("one parameter") };
        assert_eq!((&param.type_name, param.is_const), (&format!("t{at}"), true));
    }
}

/// Cases of a switch that lead to one block with many φ: the arguments are not there for each case.
#[test]
fn many_cases_and_phis() {
    let (cases, phis) = (10_000, 2_000);
    let cases: String = (0..cases).map(|at| format!(" {at} %join")).collect();
    let phis: String = (0..phis).map(|at| format!("%p{at} = OpPhi %int %one %entry\n")).collect();
    let text = format!(
        "{HEAD}OpSwitch %one %other{cases}\n%other = OpLabel\nOpReturn\n%join = OpLabel\n{phis}OpReturn\n\
         OpFunctionEnd\n"
    );
    let translated = translated(&text).unwrap_or_else(|messages| panic!("{messages}"));
    let targets = |func: &grus_ir::Function| -> usize {
        func.instructions().flat_map(|inst| &inst.targets).map(|target| target.args.len()).sum()
    };
    assert_eq!(translated.module.funcs.values().map(targets).sum::<usize>(), 2_000);
}

/// Checks that instructions in front of φ are not looked at for each predecessor.
#[test]
fn many_lines_in_front_of_a_phi() {
    let count = 20_000;
    let operands: String = (0..=count).map(|at| format!(" %one %b{at}")).collect();
    let join = format!("%join = OpLabel\n{}%phi = OpPhi %int{operands}\nOpReturn\n", "OpNop\n".repeat(count));
    let blocks: String = (0..count)
        .map(|at| format!("%b{at} = OpLabel\nOpBranchConditional %true %b{} %join\n", at + 1))
        .collect();
    let text =
        format!("{HEAD}OpBranch %b0\n{blocks}%b{count} = OpLabel\nOpBranch %join\n{join}OpFunctionEnd\n");
    build(&text).unwrap_or_else(|messages| panic!("{messages}"));
}

/// Checks that a file's name is there once, however many lines of it there are.
#[test]
fn many_lines_of_a_file_with_a_long_name() {
    let lines: String =
        (0..20_000).map(|at| format!("OpLine %file {at} 0\n%v{at} = OpIAdd %int %one %one\n")).collect();
    let head = HEAD.replace("%void = ", &format!("%file = OpString \"{}\"\n%void = ", "x".repeat(200_000)));
    let translated = translated(&format!("{head}{lines}OpReturn\nOpFunctionEnd\n"));
    let translated = translated.unwrap_or_else(|messages| panic!("{messages}"));
    assert!(
        translated
            .module
            .lines
            .get(20_000)
            .is_some_and(|(name, line)| (name.len(), line) == (200_000, 19_999))
    );
    assert_eq!(translated.module.lines.files(), 1);
}

/// Structures of nothing, nested so that they have many parts and no bytes.
#[test]
fn many_values_of_nested_empty_structures() {
    let members = |inner: &str| format!(" %{inner}").repeat(60);
    let types = format!(
        "%s0 = OpTypeStruct\n%s1 = OpTypeStruct{}\n%s2 = OpTypeStruct{}\n%s3 = OpTypeStruct{}\n",
        members("s0"),
        members("s1"),
        members("s2")
    );
    let values: String = (0..5_000).map(|at| format!("%u{at} = OpUndef %s3\n")).collect();
    let text = HEAD.replace("%type = ", &format!("{types}%type = "));
    build(&format!("{text}{values}OpReturn\nOpFunctionEnd\n"))
        .unwrap_or_else(|messages| panic!("{messages}"));
}

/// Parts of a large constant are not copied by each instruction that takes or changes one.
#[test]
fn many_constants_from_a_large_one() {
    let (count, parts) = (5_000, 10_000);
    let ones = " %one".repeat(parts);
    let extracts: String =
        (0..count).map(|at| format!("%x{at} = OpSpecConstantOp %list CompositeExtract %both 0\n")).collect();
    let inserts: String = (0..count)
        .map(|at| format!("%i{at} = OpSpecConstantOp %list CompositeInsert %zero %ones {at}\n"))
        .collect();
    let head = |more: &str| {
        let types = format!(
            "%zero = OpConstant %int 0\n%length = OpConstant %int {parts}\n%list = OpTypeArray %int %length\n\
             %pair = OpTypeStruct %list %list\n%ones = OpConstantComposite %list{ones}\n\
             %both = OpConstantComposite %pair %ones %ones\n{more}"
        );
        HEAD.replace("%type = ", &format!("{types}%type = ")) + "OpReturn\nOpFunctionEnd\n"
    };
    build(&head(&extracts)).unwrap_or_else(|messages| panic!("{messages}"));
    let messages = build(&head(&inserts)).expect_err("too many parts are made");
    assert_eq!(messages.list[0].text, "the composite is too large");
}

/// Returns a module with products and sums. `declarations` follow its capabilities, `modes` its entry point.
fn sums(declarations: &str, modes: &str) -> String {
    format!(
        "OpCapability Addresses
OpCapability Kernel
OpCapability Float16
{declarations}
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\"
{modes}
%void = OpTypeVoid
%int = OpTypeInt 32 0
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%float4 = OpTypeVector %float 4
%p_float = OpTypePointer CrossWorkgroup %float
%p_half = OpTypePointer CrossWorkgroup %half
%p_float4 = OpTypePointer CrossWorkgroup %float4
%allowed = OpConstant %int 65536
%nothing = OpConstant %int 0
%fn = OpTypeFunction %void %p_float %p_half %p_float4
%k = OpFunction %void None %fn
%floats = OpFunctionParameter %p_float
%halves = OpFunctionParameter %p_half
%vectors = OpFunctionParameter %p_float4
%entry = OpLabel
%x = OpLoad %float %floats Aligned 4
%y = OpLoad %float %floats Volatile|Aligned 4
%xy = OpFMul %float %x %y
%sum = OpFAdd %float %y %xy
OpStore %floats %sum Aligned 4
%yx = OpFMul %float %y %x
%difference = OpFSub %float %x %yx
OpStore %floats %difference Aligned 4
%twice = OpFMul %float %x %x
%used_twice = OpFSub %float %twice %y
OpStore %floats %used_twice Aligned 4
OpStore %floats %twice Aligned 4
%elsewhere = OpFMul %float %y %y
%h = OpLoad %half %halves Aligned 2
%hh = OpFMul %half %h %h
%of_halves = OpFAdd %half %hh %h
OpStore %halves %of_halves Aligned 2
%v = OpLoad %float4 %vectors Aligned 16
%scaled = OpVectorTimesScalar %float4 %v %x
%of_vectors = OpFSub %float4 %scaled %v
OpStore %vectors %of_vectors Aligned 16
OpBranch %next
%next = OpLabel
%of_blocks = OpFAdd %float %elsewhere %x
OpStore %floats %of_blocks Aligned 4
OpReturn
OpFunctionEnd
"
    )
}

fn fused(text: &str, machine: Machine) -> usize {
    let module = Module::read(&assemble(text).expect("it is SPIR-V")).expect("its form is valid");
    let translated = translate(&module, &SpecValues::default(), machine);
    let translated = translated.unwrap_or_else(|messages| panic!("{messages}"));
    translated.module.to_string().matches("= fma").count()
}

#[test]
fn a_product_goes_into_the_sum_of_its_block_that_alone_uses_it() {
    let text = sums("", "");
    assert_eq!(fused(&text, Machine { fma: true, half_fma: true }), 4);
    assert_eq!(fused(&text, Machine { fma: true, half_fma: false }), 3);
    assert_eq!(fused(&text, Machine { fma: false, half_fma: true }), 1);
}

#[test]
fn modules_say_whether_products_are_contracted() {
    let count = |declarations: &str, modes: &str| {
        fused(&sums(declarations, modes), Machine { fma: true, half_fma: true })
    };
    assert_eq!(count("", "OpExecutionMode %k ContractionOff"), 0);
    assert_eq!(count("", "OpDecorate %xy NoContraction"), 3);
    assert_eq!(count("", "OpDecorate %sum FPFastMathMode None"), 4);
    let flags = "OpDecorate %xy FPFastMathMode AllowContract\nOpDecorate %sum FPFastMathMode Fast";
    let intel = "OpCapability FPFastMathModeINTEL\nOpExtension \"SPV_INTEL_fp_fast_math_mode\"";
    assert_eq!(count(intel, &format!("OpExecutionMode %k ContractionOff\n{flags}")), 1);
    let controls = "OpCapability FloatControls2\nOpExtension \"SPV_KHR_float_controls2\"";
    assert_eq!(count(controls, ""), 4);
    assert_eq!(count(controls, "OpDecorate %sum FPFastMathMode NSZ"), 3);
    assert_eq!(count(controls, "OpExecutionModeId %k FPFastMathDefault %float %allowed"), 4);
    assert_eq!(count(controls, "OpExecutionModeId %k FPFastMathDefault %float %nothing"), 0);
}
