//! Tests malformed and excessive programs, options and binaries. Each must yield a build or an error with a log,
//! never a panic, a hang or unlimited memory use.

use std::time::{Duration, Instant};

use grus_core::compile::{self, Built, Source};

/// Time limit of a build: far more than any of these builds takes, and far less than a hang.
// Arbitrary.
const TIME_LIMIT: Duration = Duration::from_secs(20);

fn build(text: &str, options: &str) -> Built {
    let start = Instant::now();
    let built = compile::build(&Source { name: "program.cl".into(), text: text.into() }, &[], options);
    assert!(start.elapsed() < TIME_LIMIT, "took {:?}", start.elapsed());
    assert!(!built.log.contains("internal compiler error"), "{}", built.log);
    if built.result.is_err() {
        assert!(built.log.contains("error"), "no error in the log: {:?}", built.log);
    }
    built
}

fn refused(text: &str) {
    let built = build(text, "");
    let shown: String = text.chars().take(60).collect();
    assert!(built.result.is_err(), "was built: {shown}");
    assert!(built.log.contains("program.cl:"), "no position in the log: {}", built.log);
}

#[test]
fn wrong_programs_are_refused_with_a_position() {
    refused("kernel void k(global int *g) { g[0] = nothing; }");
    refused("kernel void k(global int *g) { g[0] = g; }");
    refused("kernel void k(global int *g) { /* never closed");
    refused("#define F(a) a\nkernel void k(global int *g) { g[0] = F(1; }");
    refused("#include \"missing.h\"\nkernel void k(void) {}");
    refused("#if 1\nkernel void k(void) {}");
    refused("kernel void k(void) { \"never closed }\n");
    refused("int f(int n) { return n ? f(n - 1) : 0; }\nkernel void k(global int *g) { g[0] = f(3); }");
    refused(
        "int g(int);\nint f(int n) { return g(n); }\nint g(int n) { return f(n); }\nkernel void k(void) { f(1); }",
    );
    refused("kernel void k(global int *g) { g[0] = undefined_function(1); }");
    refused("kernel void k(global int *g) { int x[1 << 62]; g[0] = x[1 << 30]; }\nconstant int y[-1];");
}

#[test]
fn empty_programs_are_programs() {
    assert!(build("", "").result.is_ok());
    assert!(build("\n\n// nothing\n", "").result.is_ok());
}

#[test]
fn deep_nesting_is_an_error_or_a_program() {
    for (open, close) in
        [("(", ")"), ("{", "}"), ("[", "]"), ("-", ""), ("!", ""), ("*", ""), ("(int)", ""), ("if(1)", ";")]
    {
        for depth in [50, 10_000] {
            let text = format!(
                "kernel void k(global int *g) {{ {}{}1{}; }}",
                if open.starts_with(['{', 'i']) { "" } else { "g[0] = " },
                open.repeat(depth),
                close.repeat(depth)
            );
            build(&text, "");
        }
    }
    build(&format!("kernel void k(global int {}p) {{}}", "*".repeat(10_000)), "-cl-std=CL2.0");
    build(&format!("typedef struct {} S;", "{ struct ".repeat(10_000)), "");
    build(&format!("kernel void k(global int *g) {{ g[0] = {}1; }}", "1 + ".repeat(50_000)), "");
    build(&format!("kernel void k(global int *g) {{ g[0] = {}1; }}", "1 ? 2 : ".repeat(10_000)), "");
    // Long flat expressions make deep trees, and nesting them makes deeper ones.
    let kernel = |body: &str| format!("kernel void k(global int *g) {{ int i = g[0]; {body} }}");
    let sum = |terms: usize| "+ i".repeat(terms);
    refused(&kernel(&format!("g[0] = {}i{};", "(".repeat(100), format!("{})", sum(3_900)).repeat(100))));
    refused(&kernel(&format!("g[0] = {}i{};", "f(".repeat(100), format!("{})", sum(3_900)).repeat(100))));
    refused(&kernel(&format!(
        "g[0] = {}i{};",
        "({ ".repeat(100),
        format!("{}; }})", sum(3_900)).repeat(100)
    )));
    refused(&kernel(&format!("if (i) g[0] = 1;{}", "else if (i == 1) g[0] = 2;".repeat(60_000))));
    refused(&kernel(&format!(
        "{}g[0] = 1;",
        format!("if (i);{}else ", "else if (i == 1);".repeat(900)).repeat(100)
    )));
    refused(&kernel(&format!("g[0] = {}1;", "1 ? i : ".repeat(60_000))));
    refused(&kernel(&format!("g[0] = ((int2)(i)){}.x;", ".xy".repeat(60_000))));
    refused(&kernel(&format!("g[0] = {}i;", "- ".repeat(60_000))));
    build(&format!("#if {}1\n#endif", "1 ? 2 : ".repeat(60_000)), "");
    build(&format!("#if {}1\n#endif", "- ".repeat(60_000)), "");
    refused(&format!("#if {}1{}\n#endif", "1 ? ".repeat(60_000), ": 2".repeat(60_000)));
    build(&"#if 1\n".repeat(10_000), "");
    build(&format!("{}\n", "#define A B\n#undef A\n".repeat(10_000)), "");
}

/// Checks that flat expressions and conditionals with thousands of operands, as generators write them, compile to
/// machine code.
#[test]
fn long_flat_text_is_a_program() {
    let each = |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let bodies = [
        format!("g[i] = 0{};", each(5_000, &|k| format!(" + g[{k}]"))),
        format!("g[i] = 0{};", each(5_000, &|k| format!(" + {k}"))),
        format!("int x[0{}]; g[i] = sizeof(x);", "+ 1".repeat(5_000)),
        format!("g[i] = 0{};", each(5_000, &|k| format!(" || i == {k}"))),
        format!("g[i] = 1{};", each(5_000, &|k| format!(" && i != {k}"))),
        format!("g[i] = {}0;", each(3_000, &|k| format!("i == {k} ? {} : ", 7 * k))),
        format!("g[i] = {}0.0f;", each(3_000, &|k| format!("i == {k} ? (char){} : ", k % 128))),
        format!("if (i == 0) g[i] = 1;{}", each(3_000, &|k| format!("else if (i == {k}) g[i] = {k};"))),
        format!("g[i] = {}i;", ["- ", "~", "!", "+ ", "(char)", "*&"].map(|op| op.repeat(1_000)).concat()),
        format!("g[i] = ({}1);", each(5_000, &|k| format!("g[{k}] = i, "))),
        format!("float f = i; g[i] = 0{};", each(5_000, &|k| format!(" + f * {k}.5f"))),
    ];
    for body in bodies {
        let text = format!("kernel void k(global int *g) {{ int i = get_global_id(0); {body} }}");
        let start = Instant::now();
        let thread = std::thread::Builder::new().stack_size(128 << 10);
        // The compiler must not depend on the stack size of the calling thread.
        let made = thread.spawn(move || {
            let built = build(&text, "");
            let shown: String = text.chars().take(120).collect();
            let artifact = built.result.unwrap_or_else(|_| panic!("{shown}: {}", built.log));
            artifact.compiled(0).unwrap_or_else(|why| panic!("{shown}: {why}"));
        });
        made.expect("a thread").join().expect("a program");
        assert!(start.elapsed() < TIME_LIMIT, "took {:?}", start.elapsed());
    }
}

#[test]
fn blocks_nest_and_multiply_within_limits() {
    let std = "-cl-std=CL2.0";
    let kernel = |body: String| format!("kernel void k(global int *g) {{ {body} }}");
    for depth in [20, 10_000] {
        let (open, close) = ("^{ ".repeat(depth), " }();".repeat(depth));
        build(&kernel(format!("int a = g[0]; {open} g[1] = a; {close}")), std);
        build(&kernel(format!("{}1;", "^{ ".repeat(depth))), std);
        build(&kernel(format!("{}1;", "^".repeat(depth))), std);
        build(&format!("void f(void {}b{}) {{}}", "(^".repeat(depth), ")(void)".repeat(depth)), std);
        let chain = format!("{}g[0] = 1;{}", "call(^{ ".repeat(depth), " });".repeat(depth));
        build(&format!("void call(void (^b)(void)) {{ b(); }} {}", kernel(chain)), std);
    }
    let many = |text: &str| (0..5000).map(|i| text.replace('#', &i.to_string())).collect::<String>();
    assert!(build(&kernel(many("^{ g[#] = #; }();")), std).result.is_ok());
    assert!(
        build(&kernel(many("int a# = #; int (^b#)(void) = ^{ return a#; }; g[#] = b#();")), std)
            .result
            .is_ok()
    );
    assert!(
        build(&kernel(format!("{} ^{{ {} }}();", many("int a# = #;"), many("g[#] = a#;"))), std)
            .result
            .is_ok()
    );
    assert!(build(&many("int (^b#)(int) = ^(int x) { return x + #; };"), std).result.is_ok());
    let called = format!("void call(void (^b)(void)) {{ b(); }} {}", kernel(many("call(^{ g[#] = #; });")));
    assert!(build(&called, std).result.is_ok());
    // Each function calls the one before with three sets of blocks. A function is instantiated for each set of
    // blocks that it is called with, up to a limit.
    let mut sets = String::from("typedef void (^b)(void); void f0(b p, b q, b r) { p(); q(); r(); }\n");
    for i in 1..40 {
        let f = i - 1;
        sets +=
            &format!("void f{i}(b p, b q, b r) {{ f{f}(q, r, ^{{}}); f{f}(r, p, q); f{f}(^{{}}, p, r); }}\n");
    }
    let program = format!("{sets}{}", kernel("f10(^{}, ^{ g[0]++; }, ^{});".into()));
    assert!(build(&program, "-cl-std=CL2.0").result.is_ok());
}

#[test]
fn macros_cannot_explode() {
    let mut bomb = String::from("#define X0 1 + 1\n");
    for i in 1..64 {
        bomb += &format!("#define X{i} X{} + X{}\n", i - 1, i - 1);
    }
    refused(&format!("{bomb}kernel void k(global int *g) {{ g[0] = X63; }}"));
    build("#define f(x) x f\nkernel void k(global int *g) { g[0] = f(1)(2)(3)(4); }", "");
    build("#define A A\n#define B C\n#define C B\nkernel void k(global int *g) { g[0] = A + B; }", "");
}

#[test]
fn many_calls_stay_linear() {
    // Each function calls the one before it twice, so inlining every call would make 2^40 copies.
    let mut text = String::from("int f0(int x) { return x * 3 + 1; }\n");
    for i in 1..40 {
        text += &format!("int f{i}(int x) {{ return f{}(x) + f{}(x + 1) * x; }}\n", i - 1, i - 1);
    }
    text += "kernel void k(global int *g) { g[0] = f39(g[0]); }";
    let built = build(&text, "");
    let artifact = built.result.expect("a valid program");
    let start = Instant::now();
    artifact.compiled(0).expect("code");
    assert!(start.elapsed() < TIME_LIMIT, "took {:?}", start.elapsed());
}

#[test]
fn options_are_understood_or_refused() {
    for options in
        ["-cl-std=CL9.9", "-no-such-option", "-D", "-I", "\"", "-cl-std=", "\u{0}", "-DA=\"", "-D=1"]
    {
        build("kernel void k(void) {}", options);
    }
    assert!(build("kernel void k(void) {}", "-no-such-option").result.is_err());
    assert!(build("kernel void k(void) {}", "-cl-std=CL9.9").result.is_err());
}

/// Pseudo-random number generator with a fixed seed.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn any_bytes_are_read() {
    let words = [
        "kernel",
        "void",
        "int",
        "float4",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "*",
        "&",
        "=",
        "+",
        "->",
        ".",
        "x",
        "k",
        "g",
        "1",
        "0x",
        "1.5f",
        "'a'",
        "\"s\"",
        "if",
        "for",
        "while",
        "switch",
        "case",
        "struct",
        "typedef",
        "global",
        "local",
        "#define",
        "\n",
        "#if",
        "#endif",
        "barrier",
        "get_global_id",
        "sizeof",
        "?",
        ":",
        "<<",
        "__attribute__",
        "((",
        "))",
        "goto",
        "return",
        "\\",
        "/*",
        "*/",
        "//",
        "##",
        "return",
        "const",
        "constant",
        "async_work_group_copy",
        "event_t",
    ];
    let mut noise = Noise(0x1234_5678_9abc_def1);
    for _ in 0..400 {
        let count = noise.next() % 60;
        let text: Vec<&str> =
            (0..count).map(|_| words[(noise.next() % words.len() as u64) as usize]).collect();
        build(&text.join(" "), "");
        let bytes: Vec<u8> = (0..count * 4).map(|_| noise.next() as u8).collect();
        build(&String::from_utf8_lossy(&bytes), "-cl-std=CL2.0");
    }
}

#[test]
fn damaged_binaries_are_refused() {
    let source = "constant int t[3] = {1, 2, 3};\nkernel void k(global int *g, local int *l) { l[0] = t[g[0] & 1]; barrier(CLK_LOCAL_MEM_FENCE); g[0] = l[0]; }";
    let artifact = build(source, "").result.expect("a valid program");
    let bytes = compile::save(&artifact);
    assert!(compile::load(&bytes).is_ok());
    assert!(compile::load(&[]).is_err());
    assert!(compile::load(b"\x7fELF of another runtime").is_err());
    let mut noise = Noise(0xfeed_f00d_0000_0001);
    for _ in 0..300 {
        let mut damaged = bytes.clone();
        let at = (noise.next() % damaged.len() as u64) as usize;
        damaged[at] ^= 1 << (noise.next() % 8);
        assert!(compile::load(&damaged).is_err(), "bit at {at} does not matter");
        assert!(compile::load(&bytes[..at]).is_err());
    }
}

#[test]
fn damaged_ir_is_refused_or_valid() {
    let source = "kernel void k(global float4 *g, int n) { float4 s = 0; for (int i = 0; i < n; ++i) { if (i == 3) continue; s += g[i].wzyx; } g[0] = s; }";
    let text = build(source, "").result.expect("a valid program").module().to_string();
    let mut noise = Noise(0xabcd_ef01_2345_6789);
    for _ in 0..600 {
        let mut damaged = text.clone().into_bytes();
        for _ in 0..=noise.next() % 3 {
            let at = (noise.next() % damaged.len() as u64) as usize;
            damaged[at] = b"v0123456789b.()ijk,x "[(noise.next() % 21) as usize];
        }
        let Ok(damaged) = String::from_utf8(damaged) else { continue };
        // The text is only parsed and verified: if it passes, it is a valid program with an unknown meaning, so it
        // is not run.
        if let Ok(module) = grus_core::ir::parse_module(&damaged) {
            let _ = grus_core::ir::verify_module(&module);
        }
    }
}

/// Checks a program that fuzzing found.
#[test]
fn a_kernel_without_a_body_is_no_program() {
    let built = compile::build_ir("func f0 \"k\" void kernel {\n}\n");
    assert_eq!(built.err(), Some(compile::CompileError::NoBody("k".into())));
}
