//! Tests `printf` of kernels: the text of a launch arrives on standard output complete and in one piece, before the
//! launch returns, and in the order in which launches end.

use std::os::fd::AsRawFd;
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread;

use grus_core::compile::{self, Artifact, Source};
use grus_core::exec::{self, Launch, NdRange, PRINTF_BUFFER_SIZE, ProfiledKernel};

const CHILD: &str = "GRUS_TEST_PRINTS";

/// Checks whether this process is the child that prints.
fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs a test again in its own process, whose output nothing else writes to.
fn child(test: &str) -> Output {
    let program = std::env::current_exe().expect("a test has a path");
    let mut command = Command::new(program);
    command.args(["--exact", &format!("printf::{test}"), "--nocapture"]).env(CHILD, "1");
    command.output().expect("the child runs")
}

/// Code of a kernel, and a launch of it.
type Run = (Arc<ProfiledKernel>, Launch);

/// Builds a program with one kernel. Returns a launch of it, and the program, which owns the format strings.
fn launch(source: &str, global: u64, args: Vec<u8>) -> (Run, Arc<Artifact>) {
    let source = Source { name: "print.cl".into(), text: source.into() };
    let built = compile::build(&source, &[], "-cl-std=CL2.0");
    let artifact = built.result.unwrap_or_else(|_| panic!("{}", built.log));
    let kernel = artifact.compiled(0).expect("code");
    let range = NdRange { work_dim: 1, offset: [0; 3], global: [global, 1, 1], local: [2, 1, 1] };
    ((kernel.clone(), Launch::new(&kernel, range, (&args[..]).into(), [])), artifact)
}

fn run((kernel, launch): &Run) {
    exec::run(kernel, launch, None).expect("it runs");
}

const TWO: &str = r#"
kernel void k(int n, float4 v) {
    if (get_global_id(0) == 2)
        printf("<%d|%5.2f|%s|%v4hlg|%v2hg|%g|%x|%%>\n", n, v.y, "text", v, convert_half2(v.xy), (half)v.x, -1);
}
"#;

#[test]
fn printed_text_reaches_standard_output() {
    if is_child() {
        for n in [7i32, -8] {
            let mut args = vec![0u8; 32];
            args[..4].copy_from_slice(&n.to_le_bytes());
            for (i, f) in [1.5f32, -2.25, 0.0, 1e10].iter().enumerate() {
                args[16 + 4 * i..20 + 4 * i].copy_from_slice(&f.to_le_bytes());
            }
            let (launch, _program) = launch(TWO, 4, args);
            run(&launch);
        }
        return;
    }
    let output = child("printed_text_reaches_standard_output");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().filter(|l| l.contains('<')).collect();
    let expected = [
        "<7|-2.25|text|1.5,-2.25,0,1e+10|1.5,-2.25|1.5|ffffffff|%>",
        "<-8|-2.25|text|1.5,-2.25,0,1e+10|1.5,-2.25|1.5|ffffffff|%>",
    ];
    assert_eq!(lines, expected, "{text}");
}

/// Arguments of `printf` and the text that they must print (s6.13.13). Numbers are printed as by C's `printf`.
const CASES: &[(&str, &str)] = &[
    (r#""%d %i %5d|%-5d|%05d|%+d|% d", 1, -2, 3, 4, 5, 6, 7"#, "1 -2     3|4    |00005|+6| 7"),
    (r#""%u %o %#o %x %#x %X %#X", -1, 8, 8, 255, 255, 255, 255"#, "4294967295 10 010 ff 0xff FF 0XFF"),
    (r#""%.3d|%8.3d|%-8.3d|%.0d|", 5, 5, 5, 0"#, "005|     005|005     ||"),
    (
        r#""%hhd %hd %ld %hhu %hu %lu %lx", (char)-3, (short)-3, -3l, (uchar)253, (ushort)65533, 5ul, 1ul << 40"#,
        "-3 -3 -3 253 65533 5 10000000000",
    ),
    (r#""%c%c|%3c|%-3c|", 'a', 98, 'c', 'd'"#, "ab|  c|d  |"),
    (r#""%s|%8s|%-8s|%.2s|%8.2s|", "abc", "abc", "abc", "abc", "abc""#, "abc|     abc|abc     |ab|      ab|"),
    (
        r#""%f %F %.0f %#.0f %10.3f|%-10.1f|%+.2f", 1.5f, 2.5f, 2.5f, 2.0f, 3.14159f, 2.25f, 1.0f"#,
        "1.500000 2.500000 2 2.      3.142|2.2       |+1.00",
    ),
    (
        r#""%e %E %.2e %g %G %g %g %#g", 12345.678f, 0.5f, 1e-10f, 1e20f, 1e-5f, 100000.0f, 1e6f, 1.0f"#,
        "1.234568e+04 5.000000E-01 1.00e-10 1e+20 1E-05 100000 1e+06 1.00000",
    ),
    (r#""%a %A %.1a", 1.0f, 10.0f, 1.5f"#, "0x1p+0 0X1.4P+3 0x1.8p+0"),
    (
        r#""%f %F %e %5.1f|%-5f|%05f", INFINITY, -INFINITY, NAN, INFINITY, NAN, INFINITY"#,
        "inf -INF nan   inf|nan  |  inf",
    ),
    (r#""%f %lf %.17g", 0.1, 0.1, 0.1"#, "0.100000 0.100000 0.10000000000000001"),
    (r#""%v4d", (int4)(1, -2, 3, -4)"#, "1,0,3,0"),
    (
        r#""%v4hld|%v2hlx|%v3hlu", (int4)(1, -2, 3, -4), (int2)(255, 16), (uint3)(1, 2, 3)"#,
        "1,-2,3,-4|ff,10|1,2,3",
    ),
    (
        r#""%v2hhd|%v4hhx|%v16hhu", (char2)(-1, 2), (uchar4)(1, 2, 3, 255), (uchar16)(7)"#,
        "-1,2|1,2,3,ff|7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7",
    ),
    (r#""%v2hd|%v8hu", (short2)(-1, 2), (ushort8)(9)"#, "-1,2|9,9,9,9,9,9,9,9"),
    (r#""%v2ld|%v3lu", (long2)(-1, 1l << 40), (ulong3)(1, 2, 3)"#, "-1,1099511627776|1,2,3"),
    (
        r#""%v4hlf|%v2hle|%05.1v3hlf", (float4)(1, 2, 3, 4), (float2)(1), (float3)(1, -2, 3)"#,
        "1.000000,2.000000,3.000000,4.000000|1.000000e+00,1.000000e+00|001.0,-02.0,003.0",
    ),
    (
        r#""%v2lf|%v4lg|%+v2la", (double2)(1.5, -2), (double4)(1e300), (double2)(1)"#,
        "1.500000,-2.000000|1e+300,1e+300,1e+300,1e+300|+0x1p+0,+0x1p+0",
    ),
    (r#""%-6v2hld|%6v2hld|", (int2)(1, 2), (int2)(3, 4)"#, "1     ,2     |     3,     4|"),
    (r#""%v2hlf", (float2)(INFINITY, NAN)"#, "inf,nan"),
    (r#""%%|%5d%%", 1"#, "%|    1%"),
    (r#""%p", (global int *)0"#, "(nil)"),
    (r#""tab\there \x41 \101""#, "tab\there A A"),
];

#[test]
fn every_conversion() {
    if is_child() {
        let calls: String = CASES
            .iter()
            .enumerate()
            .map(|(i, (args, _))| format!("printf(\"<{i}:\"); printf({args}); printf(\">\\n\");\n"))
            .collect();
        let source = format!("kernel void k(void) {{ if (get_global_id(0) == 0) {{\n{calls}}} }}");
        // `%v4d` with an `int4` is undefined. It is printed to check that it does no harm; its text is not
        // compared.
        let (launch, _program) = launch(&source, 2, Vec::new());
        run(&launch);
        return;
    }
    let output = child("every_conversion");
    let text = String::from_utf8_lossy(&output.stdout);
    for (i, (args, expected)) in CASES.iter().enumerate() {
        if args.contains("%v4d\"") {
            continue;
        }
        let line = format!("<{i}:{expected}>\n");
        assert!(text.contains(&line), "printf({args}) should give\n{line}{text}");
    }
}

/// Formats that are not string literals but are known at build time (s6.13.13.2), with the text that they must
/// print.
const FORMATS: &str = r#"
constant char array[] = "array %d\n";
constant char *constant pointer = "pointer %d %s\n";
constant char *constant messages[] = {"none %d\n", "one %d\n"};
constant char rows[2][16] = {"row %d\n", "other row %d\n"};
constant struct { int code; constant char *text; } table[] = {{1, "member %d\n"}};
void helper(constant char *format, int n) { printf(format, n); }
constant char *name(int n) { return n > 3 ? "many" : "few"; }
constant char *format_of(int n) { switch (n) { case 5: return "five %d\n"; default: return "else %d\n"; } }
#define FORMAT ("macro " "%d\n")
kernel void k(int n) {
    if (get_global_id(0)) return;
    printf(array, n);
    printf(pointer, n, "text");
    printf(n & 1 ? "odd %d\n" : "even %d\n", n);
    printf(n & 2 ? "a %d\n" : n & 4 ? array : messages[1], n);
    printf(messages[n == 5], n);
    printf(rows[1], n);
    printf(&array[2], n);
    printf(array + n, n);
    printf(table[0].text, n);
    helper("helper %d\n", n);
    helper(array, n + 1);
    printf(format_of(n), n);
    printf(FORMAT, n);
    constant char *local_format = "variable %d\n";
    printf(local_format, n);
    local_format = array;
    printf(local_format, n);
    printf("%s %s %s\n", name(n), messages[0] + 5, local_format + 6);
    printf((array), n);
}
"#;

const PRINTED: &str = "array 5\npointer 5 text\nodd 5\narray 5\none 5\nother row 5\nray 5\n 5\nmember 5\nhelper 5\narray 6\n\
    five 5\nmacro 5\nvariable 5\narray 5\nmany %d\n %d\n\narray 5\n";

#[test]
fn formats_that_are_no_literals() {
    if is_child() {
        let (launch, _program) = launch(FORMATS, 2, 5i32.to_le_bytes().to_vec());
        run(&launch);
        return;
    }
    let output = child("formats_that_are_no_literals");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(PRINTED), "should print\n{PRINTED}{text}");
}

const LONG_OUTPUT: &str = r#"
kernel void k(global int *failed) {
    int r = printf("<%06d %064d>\n", (int)get_global_id(0), 0);
    if (r != 0)
        atomic_add(failed, r);
}
"#;

/// Checks that a launch that prints more than the buffers hold loses nothing, and neither does the next launch.
#[test]
fn more_than_the_buffers_hold() {
    const LINE: usize = 74;
    let calls = 20 * PRINTF_BUFFER_SIZE / LINE;
    if is_child() {
        let mut failed = 0i32;
        let args = (&raw mut failed as u64).to_le_bytes().to_vec();
        let (launch, _program) = launch(LONG_OUTPUT, calls as u64, args);
        run(&launch);
        // SAFETY: `failed` is alive, and the launch that writes to it has ended.
        println!("failed {}", unsafe { (&raw const failed).read_volatile() });
        let (kernel, full) = launch;
        let again = full.over(NdRange { global: [2, 1, 1], ..*full.range() });
        run(&(kernel, again));
        return;
    }
    let output = child("more_than_the_buffers_hold");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut seen = vec![0; calls];
    let lines = text.lines().filter(|l| l.starts_with('<'));
    lines.for_each(|line| {
        assert_eq!(line.len(), LINE - 1, "{line}");
        let (number, _) = line[1..].split_once(' ').expect("two numbers");
        seen[number.parse::<usize>().expect("a number")] += 1;
    });
    assert!(seen[..2].iter().all(|&count| count == 2) && seen[2..].iter().all(|&count| count == 1));
    assert!(text.contains("failed 0\n"));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Checks that calls return -1 if standard output accepts nothing, and that one line on standard error says so.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let calls = 40_000;
    if is_child() {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full is there");
        // SAFETY: both descriptors are open; the child has no further use for its old standard output.
        assert_eq!(unsafe { libc::dup2(full.as_raw_fd(), 1) }, 1);
        let mut failed = 0i32;
        let args = (&raw mut failed as u64).to_le_bytes().to_vec();
        let (launch, _program) = launch(LONG_OUTPUT, calls, args);
        run(&launch);
        // SAFETY: `failed` is alive, and the launch that writes to it has ended.
        eprintln!("failed {}", unsafe { (&raw const failed).read_volatile() });
        return;
    }
    let output = child("a_full_disk");
    let notes = String::from_utf8_lossy(&output.stderr);
    let failed = notes.lines().find_map(|line| line.strip_prefix("failed -")).expect("calls failed");
    assert!(failed.parse::<u64>().is_ok_and(|failed| failed > 0 && failed < calls), "{notes}");
    assert!(notes.contains(&format!("calls of printf without effect: {failed} or more")), "{notes}");
}

const LETTER: &str = r#"
kernel void k(char letter) { printf("%c", letter); }
"#;

/// Checks that the output of launches that run at the same time is not mixed.
#[test]
fn launches_at_the_same_time() {
    if is_child() {
        let threads: Vec<_> = (0..4u8)
            .map(|i| {
                let (launch, program) = launch(LETTER, 20_000, vec![b'w' + i; 1]);
                thread::spawn(move || {
                    run(&launch);
                    drop(program);
                })
            })
            .collect();
        threads.into_iter().for_each(|t| t.join().expect("it ends"));
        return;
    }
    let output = child("launches_at_the_same_time");
    let text = String::from_utf8_lossy(&output.stdout);
    for letter in ["w", "x", "y", "z"] {
        assert!(text.contains(&letter.repeat(20_000)), "{letter} is not in one piece");
    }
}
