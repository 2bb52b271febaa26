//! Tests of `grus build`: logs in all formats, and output files.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{command, folder, grus, put, said};

const WRONG: &str = "kernel void k(global float *g) {
    float4 v = 1.0f;
    g[0] = v + missing;
}
";

#[test]
fn errors_name_file_line_and_column() {
    let folder = folder("build-errors");
    put(&folder, "wrong.cl", WRONG);
    let human = grus(&folder, &["build", "wrong.cl"]).status(1);
    let expected = "wrong.cl:3:16: error: use of undeclared identifier 'missing'";
    let first = human.err.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("wrong.cl:3:16: error: ") && first.contains("missing"),
        "{expected}\n{}",
        human.err
    );
    assert!(
        human.err.contains("3 |     g[0] = v + missing;") && human.err.ends_with("1 error\n"),
        "{}",
        human.err
    );
    assert_eq!(human.out, "");
    let gcc = grus(&folder, &["build", "--format=gcc", "wrong.cl"]).status(1);
    assert_eq!(gcc.err.trim_end(), first);
    let colors = grus(&folder, &["build", "--color=always", "wrong.cl"]).status(1);
    assert!(colors.err.contains("\u{1b}[31m"), "{}", colors.err);
}

#[test]
fn errors_for_programs() {
    let folder = folder("build-json");
    put(&folder, "wrong.cl", WRONG);
    put(&folder, "right.cl", "kernel void r(global int *a, float2 b) { a[0] = (int)b.x; }");
    let json = grus(&folder, &["build", "--format=json", "wrong.cl", "right.cl"]).status(1);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(
        (&json["ok"], &json["files"][0]["ok"], &json["files"][1]["ok"]),
        (&false.into(), &false.into(), &true.into())
    );
    let message = &json["files"][0]["messages"][0];
    assert_eq!((message["line"].as_u64(), message["column"].as_u64()), (Some(3), Some(16)));
    assert_eq!((&message["severity"], &message["file"]), (&"error".into(), &"wrong.cl".into()));
    let kernel = &json["files"][1]["kernels"][0];
    assert_eq!(kernel["name"], "r");
    assert_eq!(kernel["parameters"][0]["type"], "int*");
    assert_eq!(kernel["parameters"][0]["space"], "global");
    let sarif = grus(&folder, &["build", "--format=sarif", "wrong.cl"]).status(1);
    let sarif: Value = serde_json::from_str(&sarif.out).expect("SARIF");
    assert_eq!(sarif["version"], "2.1.0");
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "wrong.cl");
    assert_eq!(place["region"]["startLine"], 3);
}

#[test]
fn options_reach_the_compiler() {
    let folder = folder("build-options");
    fs::create_dir(folder.join("in c")).expect("a folder");
    put(&folder, "in c/far.h", "#define FAR 1\n");
    put(&folder, "near.h", "#define NEAR 1\n");
    put(
        &folder,
        "a.cl",
        "#include <far.h>\n#include \"near.h\"\n#if A != 7 || FAR + NEAR != 2 || __OPENCL_C_VERSION__ != 200\n#error no\n\
         #endif\nconstant char text[] = TEXT;\nkernel void a() { int unused; }\n",
    );
    let all =
        ["build", "a.cl", "-DA=7", "-D", "TEXT=\"a b\"", "-I", "in c", "-cl-std=CL2.0", "-cl-mad-enable"];
    let warned = grus(&folder, &all).status(0);
    assert!(
        warned.err.starts_with("a.cl:7:23: warning: ") && warned.err.ends_with("1 warning\n"),
        "{}",
        warned.err
    );
    assert_eq!(grus(&folder, &[&all[..], &["-w"]].concat()).status(0).err, "");
    let error = grus(&folder, &[&all[..], &["-Werror"]].concat()).status(1);
    assert!(error.err.starts_with("a.cl:7:23: error: "), "{}", error.err);
    put(&folder, "type.h", "typedef int number;\n");
    put(&folder, "b.cl", "kernel void b(global number *x) { x[0] = y; }\n");
    let before = grus(&folder, &["build", "b.cl", "-include", "type.h"]).status(1);
    assert!(
        before.err.starts_with("b.cl:1:42: error: ") && before.err.ends_with("1 error\n"),
        "{}",
        before.err
    );
    let unknown = grus(&folder, &["build", "a.cl", "-cl-nonsense"]).status(1);
    assert!(unknown.err.starts_with("error: unknown build option '-cl-nonsense'"), "{}", unknown.err);
}

#[test]
fn kernels_are_listed() {
    let folder = folder("build-kernels");
    put(
        &folder,
        "a.cl",
        "__attribute__((reqd_work_group_size(8, 1, 1)))\n\
         kernel void first(global const float4 *restrict in, read_only image2d_t i, local int *l, uint n) { l[0] = n; }\n\
         kernel void second() { local float x[4]; x[0] = 1; }\n",
    );
    let listed = grus(&folder, &["build", "-k", "a.cl"]).status(0).out;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("kernel") && lines[0].contains("arguments"), "{listed}");
    assert!(lines[1].starts_with("first") && lines[1].ends_with("reqd_work_group_size(8,1,1)"), "{listed}");
    assert!(lines[2].starts_with("second") && lines[2].contains("16 B"), "{listed}");
    assert!(lines[0].contains("lanes  code"), "{listed}");
    let squeezed: Vec<String> =
        lines[4..].iter().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "first",
        "0 global const float4* restrict in",
        "1 read_only image2d_t i",
        "2 local int* l",
        "3 uint n",
    ];
    assert_eq!(squeezed, expected);
}

#[test]
fn code_is_for_groups_of_a_size() {
    let folder = folder("build-code");
    put(
        &folder,
        "a.cl",
        "kernel void a(global float *x) { x[get_global_id(0)] *= 2; }\n\
         kernel __attribute__((reqd_work_group_size(8, 8, 1))) void b(global float *x) { x[get_local_id(1)] = 1; }\n",
    );
    let said = grus(&folder, &["build", "-k", "a.cl", "--format=json", "--local=256"]).status(0).out;
    let json: Value = serde_json::from_str(&said).expect("JSON");
    let code = |kernel: usize| &json["files"][0]["kernels"][kernel]["code"];
    assert_eq!((&code(0)["local"], &code(1)["local"]), (&json!([256]), &json!([8, 8, 1])), "{said}");
    assert!(code(0)["lanes"].as_u64() > Some(1) && code(0)["bytes"].as_u64() > Some(0), "{said}");
    let plain = grus(&folder, &["build", "-k", "a.cl", "--format=json", "-cl-opt-disable"]).status(0).out;
    assert!(plain.contains("\"lanes\": 1,") && plain.contains("\"backend\": \"cranelift\""), "{plain}");
    let large = grus(&folder, &["build", "-k", "a.cl", "--local=100K"]).status(1);
    assert!(large.err.contains("CL_INVALID_VALUE"), "{}", large.err);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn assembly() {
    let folder = folder("build-asm");
    put(&folder, "a.cl", "kernel void a(global float *x) {\n    x[get_global_id(0)] *= 2;\n}\n");
    put(&folder, "b.cl", "kernel void b(global int *x) {\n    x[get_global_id(0)] += 2;\n}\n");
    let text = grus(&folder, &["build", "a.cl", "--emit=asm"]).status(0).out;
    assert!(text.starts_with("a:\n") && text.contains("  ; a.cl:2\n") && text.contains("  ret\n"), "{text}");
    let both = grus(&folder, &["build", "a.cl", "b.cl", "--emit=asm"]).status(0).out;
    let rest = both.strip_prefix(&text).expect("the first file's comes first, once");
    assert!(rest.starts_with("b:\n") && rest.contains("  ; b.cl:2\n"), "{both}");
    put(&folder, "none.cl", "float f(float x) { return x; }\n");
    assert!(grus(&folder, &["build", "none.cl", "--emit=asm"]).status(1).err.contains("no kernel"));
}

#[test]
fn binaries_and_dependencies() {
    let folder = folder("build-binary");
    fs::create_dir(folder.join("sub")).expect("a folder");
    put(&folder, "sub/one.h", "#include \"two.h\"\n");
    put(&folder, "sub/two.h", "#pragma once\n#define VALUE 5\n");
    put(
        &folder,
        "sub/a.cl",
        "#include \"one.h\"\n#include \"two.h\"\nkernel void a(global int *x) { x[0] = VALUE; }\n",
    );
    grus(&folder, &["build", "sub/a.cl", "--emit=binary", "-o", "a b.clbin", "-MMD", "-MF", "a.d"]).status(0);
    let rule = fs::read_to_string(folder.join("a.d")).expect("a dependency file");
    assert_eq!(rule, "a\\ b.clbin: sub/a.cl \\\n  sub/one.h \\\n  sub/two.h\n\nsub/one.h:\n\nsub/two.h:\n");
    let listed = grus(&folder, &["build", "-k", "a b.clbin"]).status(0).out;
    assert!(listed.contains("global int*"), "{listed}");
    grus(&folder, &["build", "sub/a.cl", "--emit=binary", "-MMD"]).status(0);
    assert!(folder.join("a.clbin").exists() && folder.join("a.d").exists());
    put(&folder, "bad.clbin", b"\0nonsense");
    assert!(grus(&folder, &["build", "bad.clbin"]).status(2).err.contains("not a program binary"));
}

#[test]
fn text_that_can_be_compiled_again() {
    let folder = folder("build-text");
    put(
        &folder,
        "a.cl",
        "#define NEG -1\n#define TWICE(x) x \\\n  x\n\n\n\n\n\n\n\n\n\n\n\n#pragma pack(1)\nstruct s { char c; int i; };\n\
         #pragma pack()\nkernel void a(global int *x) {\n  x[0] = -NEG;\n  x[1] = sizeof(struct s);\n  #pragma unroll 4\n  \
         for (int i = 0; i < 8; i++) x[i] += i;\n}\n",
    );
    let text = grus(&folder, &["build", "a.cl", "--emit=preprocessed"]).status(0).out;
    for expected in ["#line 16 \"a.cl\"", "#pragma pack(1)", "#pragma unroll 4", "x[0] = - - 1;"] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    put(&folder, "b.cl", &text);
    grus(&folder, &["build", "b.cl"]).status(0);
    let results = |file| grus(&folder, &["run", file, "-g", "1", "zeros:2"]).status(0).out;
    assert_eq!(results("a.cl"), "x: int[2] 1 6\n");
    assert_eq!(results("b.cl"), "x: int[2] 1 6\n");
    // Errors in source that was preprocessed twice have the line numbers of the first file.
    put(&folder, "c.cl", text.replace("sizeof", "sizeoff"));
    let error = grus(&folder, &["build", "c.cl"]).status(1).err;
    assert!(error.starts_with("a.cl:20:"), "{error}");
    let ir = grus(&folder, &["build", "a.cl", "--emit=ir", "-o", "-"]).status(0).out;
    assert!(
        ir.contains("func") && ir.contains("\"a\"") || ir.contains("@a") || ir.contains("kernel a"),
        "{ir}"
    );
    put(&folder, "wrong.cl", "#define X 1\nint x = X +;\n");
    let wrong = grus(&folder, &["build", "wrong.cl", "--emit=preprocessed"]).status(1);
    assert!(wrong.out.contains("int x = 1 +;"), "{}", wrong.out);
}

#[test]
fn several_files_and_links() {
    let folder = folder("build-link");
    put(&folder, "a.cl", "int helper(int x);\nkernel void a(global int *x) { x[0] = helper(2); }\n");
    put(&folder, "b.cl", "int helper(int x) { return 3 * x; }\n");
    let alone = grus(&folder, &["build", "a.cl", "b.cl"]).status(1);
    assert!(alone.err.contains("helper"), "{}", alone.err);
    grus(&folder, &["build", "-c", "a.cl", "b.cl"]).status(0);
    grus(&folder, &["build", "--link", "a.cl", "b.cl", "--emit=binary", "-o", "ab.clbin"]).status(0);
    assert_eq!(grus(&folder, &["run", "ab.clbin", "-g", "1", "zeros"]).status(0).out, "x: int[1] 6\n");
    let twice = grus(&folder, &["build", "--link", "a.cl"]).status(1);
    assert!(twice.err.contains("helper"), "{}", twice.err);
    let timed = grus(&folder, &["build", "-t", "b.cl"]).status(0);
    assert!(timed.err.starts_with("b.cl: ") && timed.err.ends_with(" ms, 1 lines\n"), "{}", timed.err);
}

#[test]
fn a_file_that_is_missing_is_told_first() {
    let folder = folder("build-missing");
    put(&folder, "a.cl", WRONG);
    for format in ["human", "gcc", "json", "sarif"] {
        let said = grus(&folder, &["build", "a.cl", "missing.cl", "--format", format]).status(2);
        assert_eq!(said.err, "grus: error: missing.cl: no such file or directory\n");
        assert_eq!(said.out, "");
    }
}

#[test]
fn of_options_that_stand_there_twice_the_last_counts() {
    let folder = folder("build-twice");
    put(&folder, "a.cl", "kernel void a(global int *x) { x[0] = __OPENCL_C_VERSION__ + N; }");
    let twice = ["-w", "-w", "-Werror", "-Werror", "-cl-std=CL1.2", "-cl-std=CL2.0", "-DN=1", "-DN=1"];
    let words = |command: &'static str| [&[command, "a.cl"], &twice[..]].concat();
    grus(&folder, &[&words("build")[..], &["--format=human", "--format=gcc", "-MMD", "-MMD"]].concat())
        .status(0);
    let ran = grus(&folder, &[&words("run")[..], &["zeros", "-g", "64", "-g", "1"]].concat()).status(0);
    assert_eq!(ran.out, "x: int[1] 201\n");
}

#[test]
fn standard_input() {
    let folder = folder("build-stdin");
    let mut build = command(&folder);
    build
        .args(["build", "-", "--format=gcc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = build.spawn().expect("grus runs");
    child.stdin.take().expect("a pipe").write_all(WRONG.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("<stdin>:3:16: error: "));
}

#[test]
fn input_that_makes_no_sense() {
    let folder = folder("build-input");
    put(&folder, "a.cl", "kernel void a() {}");
    for words in [
        &["build", "missing.cl"][..],
        &["build"],
        &["build", "a.cl", "-o", "x"],
        &["build", "a.cl", "a.cl", "--emit=binary", "-o", "x"],
        &["build", "a.cl", "a.cl", "-MF", "x"],
        &["build", "a.cl", "-MF"],
        &["build", "a.cl", "--emit=ir", "--format=json"],
        &["build", "a.cl", "--emit=object"],
        &["build", "-c", "a.cl", "--emit=asm"],
        &["build", "a.cl", "--local=8"],
        &["build", "-k", "a.cl", "--local=0"],
        &["build", "a.cl", "--vendor", "no such vendor"],
    ] {
        let said = said(command(&folder).args(words));
        assert_eq!(said.status, Some(2), "{words:?}\n{}", said.err);
        assert!(said.err.contains("error: "), "{words:?}\n{}", said.err);
    }
}
