//! Tests of `grus dis`.

use std::fs;
use std::process::Stdio;

use super::{command, folder, grus, put, said};

const SOURCE: &str = "\
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
%1 = OpTypeInt 32 0
%2 = OpConstant %1 7
";

#[test]
fn a_module_as_text() {
    let folder = folder("dis");
    put(&folder, "a.spv", grus_assembler::assemble(SOURCE).expect("SPIR-V"));
    let plain = grus(&folder, &["dis", "a.spv", "--no-header", "--no-indent"]).status(0);
    assert_eq!(plain.out, SOURCE);
    let full = grus(&folder, &["dis", "a.spv"]).status(0).out;
    assert!(full.starts_with("; SPIR-V\n; Version: 1.6\n"), "{full}");
    assert!(full.contains("; Bound: 3\n") && full.ends_with("\n          %2 = OpConstant %1 7\n"), "{full}");
    let module = fs::File::open(folder.join("a.spv")).expect("just written");
    assert_eq!(said(command(&folder).args(["dis", "-"]).stdin(module)).status(0).out, full);
}

#[test]
fn files_that_are_no_modules() {
    let folder = folder("dis-wrong");
    put(&folder, "a.cl", "kernel void a(void) {}\n");
    let wrong = grus(&folder, &["dis", "a.cl"]).status(1);
    assert_eq!((wrong.out.as_str(), wrong.err.lines().count()), ("", 1), "{}", wrong.err);
    assert!(wrong.err.starts_with("grus: error: a.cl: word "), "{}", wrong.err);
    let error = grus(&folder, &["dis", "none.spv"]).status(2).err;
    assert!(error.starts_with("grus: error: none.spv: "), "{error}");
    assert!(
        said(command(&folder).args(["dis", "-"]).stdin(Stdio::null())).status(1).err.contains("-: word 0")
    );
}
