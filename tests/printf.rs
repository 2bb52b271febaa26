//! What kernels print arrives on the process's standard output, whole lines, in the order
//! of the launches, before the launch returns.

use std::process::Command;

use grus_core::compile::{self, Source};
use grus_core::exec::{self, Launch, NdRange};

const CHILD: &str = "GRUS_TEST_PRINTS";

const SOURCE: &str = r#"
kernel void k(int n, float4 v) {
    if (get_global_id(0) == 2)
        printf("<%d|%5.2f|%s|%v4hlg|%v2hg|%g|%x|%%>\n", n, v.y, "text", v, convert_half2(v.xy), (half)v.x, -1);
}
"#;

/// In the child: two launches.
fn print() {
    let source = Source { name: "print.cl".into(), text: SOURCE.into() };
    let artifact = compile::build(&source, &[], "").result.expect("a valid program");
    let kernel = artifact.compiled(0).expect("code");
    for n in [7i32, -8] {
        let mut args = vec![0u8; 32];
        args[..4].copy_from_slice(&n.to_le_bytes());
        for (i, f) in [1.5f32, -2.25, 0.0, 1e10].iter().enumerate() {
            args[16 + 4 * i..20 + 4 * i].copy_from_slice(&f.to_le_bytes());
        }
        let range = NdRange { work_dim: 1, offset: [0; 3], global: [4, 1, 1], local: [2, 1, 1] };
        exec::run(&Launch { kernel: kernel.clone(), range, args, local_args: Vec::new() }, 0)
            .expect("it runs");
    }
}

#[test]
fn printed_text_reaches_standard_output() {
    if std::env::var_os(CHILD).is_some() {
        return print();
    }
    let program = std::env::current_exe().expect("a test has a path");
    let output = Command::new(program)
        .args(["--exact", "printed_text_reaches_standard_output", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("the child runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().filter(|l| l.contains('<')).collect();
    let expected = [
        "<7|-2.25|text|1.5,-2.25,0,1e+10|1.5,-2.25|1.5|ffffffff|%>",
        "<-8|-2.25|text|1.5,-2.25,0,1e+10|1.5,-2.25|1.5|ffffffff|%>",
    ];
    assert_eq!(lines, expected, "{text}");
}
