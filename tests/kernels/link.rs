//! Programs of several units: what they compute, also by way of binaries, and what the
//! linker refuses.

use std::sync::Arc;

use grus_core::compile::{self, BuildOutput, CompiledObject, Source};
use grus_core::ir::{parse_module, verify_module};
use grus_core::passes::closures::define_closure_switches;

fn compile(text: &str, options: &str) -> Arc<CompiledObject> {
    let source = Source { name: "unit.cl".into(), text: text.into() };
    let built = compile::compile(&source, &[], options);
    built.result.unwrap_or_else(|_| panic!("{}", built.log))
}

fn units(texts: &[&str], options: &str) -> Vec<Arc<CompiledObject>> {
    texts.iter().map(|text| compile(text, options)).collect()
}

fn link(objects: &[Arc<CompiledObject>], options: &str) -> BuildOutput {
    let built = compile::link(objects, options);
    built.result.unwrap_or_else(|_| panic!("{}", built.log))
}

fn library(objects: &[Arc<CompiledObject>]) -> Arc<CompiledObject> {
    match link(objects, "-create-library") {
        BuildOutput::Object(object) if object.is_library => object,
        other => panic!("not a library: {other:?}"),
    }
}

/// The object after a way through a binary. Reading numbers values anew; a second time changes nothing.
fn reloaded(object: &CompiledObject) -> Arc<CompiledObject> {
    let bytes = compile::save_object(object);
    let Ok(BuildOutput::Object(loaded)) = compile::load(&bytes) else { panic!("its binary does not load") };
    assert_eq!((loaded.is_library, loaded.settings), (object.is_library, object.settings));
    let again = compile::save_object(&loaded);
    let Ok(BuildOutput::Object(twice)) = compile::load(&again) else {
        panic!("its binary does not load again")
    };
    assert!(compile::save_object(&twice) == again, "a binary changes by being loaded");
    loaded
}

/// Links the units in every way, runs what `directives` say, compares with the
/// interpreter, whose module is that of a library.
fn runs(texts: &[&str], options: &str, directives: &str) {
    let fixture = crate::harness::directive::parse(directives, "//").expect("directives");
    assert!(!fixture.runs.is_empty());
    for options in [options.to_owned(), format!("{options} -cl-opt-disable")] {
        let objects = units(texts, &options);
        let whole = library(&objects);
        let mut oracle = whole.module().clone();
        define_closure_switches(&mut oracle);
        let loaded: Vec<_> = objects.iter().map(|o| reloaded(o)).collect();
        let backwards: Vec<_> = objects.iter().rev().cloned().collect();
        for way in [&objects, &loaded, &backwards, &vec![reloaded(&whole)]] {
            let BuildOutput::Executable(artifact) = link(way, "") else { panic!("not an executable") };
            let bytes = compile::save(&artifact);
            let Ok(BuildOutput::Executable(again)) = compile::load(&bytes) else { panic!("does not load") };
            for artifact in [&artifact, &again] {
                crate::harness::check(&fixture, &oracle, artifact).unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }
}

/// The log of a link that fails.
fn refused(texts: &[&str]) -> String {
    let objects = units(texts, "-cl-std=CL2.0");
    let built = compile::link(&objects, "");
    assert!(built.result.is_err(), "{texts:?} were linked");
    assert!(built.log.lines().all(|l| l.starts_with("error: ")), "{}", built.log);
    built.log
}

#[test]
fn calls_and_variables_both_ways() {
    let a = "extern global int count; int add(int x, int y);
        constant int table[4] = {10, 20, 30, 40};
        int look(int i) { return table[i & 3]; }
        kernel void first(global int *out) { out[0] = add(look(1), 5); count += 2; out[1] = count; }";
    let b = "global int count = 40; int look(int);
        extern constant int table[];
        int add(int x, int y) { return x + y + look(0) + table[3]; }
        kernel void second(global int *out) { count += 1; out[0] = look(2); out[1] = count; }";
    let directives = "// run: first global=1 local=1 args: int[2] = 0
        // expect: 0 = 75 42
        // run: second global=1 local=1 args: int[2] = 0
        // expect: 0 = 30 43";
    runs(&[a, b], "-cl-std=CL2.0", directives);
}

#[test]
fn what_is_static_stays_apart() {
    let unit = |name: &str, number: i32| {
        format!(
            "static constant int number = {number};
            static int value(int x) {{ return x + number; }}
            inline int more(int x) {{ return value(x) * {number}; }}
            kernel void {name}(global int *a) {{ constant char *s = \"{name}\"; a[0] = more(a[0]) + s[0]; }}"
        )
    };
    let (a, b) = (unit("a", 3), unit("b", 100));
    let directives = "// run: a global=1 local=1 args: int[1] = 1
        // expect: 0 = 109
        // run: b global=1 local=1 args: int[1] = 1
        // expect: 0 = 10198";
    runs(&[&a, &b], "", directives);
}

#[test]
fn units_share_the_builtin_library() {
    let unit = |name: &str| {
        format!("kernel void {name}(global float *a) {{ a[0] = clamp(sin(a[0] + 1e6f), 2.0f, 3.0f); }}")
    };
    let directives = "// run: a global=1 local=1 args: float[1] = 1
        // expect: 0 = 2
        // run: b global=1 local=1 args: float[1] = 1
        // expect: 0 = 2";
    runs(&[&unit("a"), &unit("b")], "", directives);
}

#[test]
fn structs_barriers_and_addresses_of_variables() {
    let head = "typedef struct { int a; float4 v; } S; S make(int a, local int *l); int sum(S s);";
    let a = format!(
        "{head} constant int three = 3; extern constant int *constant where;
        kernel void k(global int *out, local int *l) {{
            size_t i = get_local_id(0); l[i] = i;
            out[i] = sum(make(10, l)) + *where;
        }}"
    );
    let b = format!(
        "{head} extern constant int three; constant int *constant where = &three;
        S make(int a, local int *l) {{
            barrier(CLK_LOCAL_MEM_FENCE);
            S s; s.a = a; s.v = (float4)(l[0], l[1], l[2], l[3]); return s;
        }}
        int sum(S s) {{ return s.a + (int)(s.v.x + s.v.y + s.v.z + s.v.w); }}"
    );
    let directives = "// run: k global=4 local=4 args: int[4] = 0; local 16
        // expect: 0 = 19 19 19 19";
    runs(&[&a, &b], "", directives);
}

#[test]
fn a_kernel_calls_a_kernel_of_another_unit() {
    let a =
        "extern kernel void inner(global int *a); kernel void outer(global int *a) { inner(a); a[0] *= 2; }";
    let b = "kernel void inner(global int *a) { a[0] += 4; }";
    runs(&[a, b], "", "// run: outer global=1 local=1 args: int[1] = 1\n// expect: 0 = 10");
}

#[test]
fn defined_twice() {
    let log = refused(&["int f(int x) { return x; }", "int f(int x) { return 1; }"]);
    assert_eq!(log, "error: function 'f' is defined more than once\n");
    let log = refused(&["constant int v = 1;", "constant int v = 1;"]);
    assert_eq!(log, "error: variable 'v' is defined more than once\n");
    let log = refused(&["kernel void k() {}", "kernel void k() {}"]);
    assert_eq!(log, "error: function 'k' is defined more than once\n");
}

#[test]
fn defined_nowhere() {
    let text = "int f(int x); extern constant int v;";
    let log = refused(&[&format!("{text} kernel void k(global int *a) {{ a[0] = f(v) + f(1); }}")]);
    let expected = "error: undefined reference to variable 'v' in 'k'
error: undefined reference to function 'f' in 'k'\n";
    assert_eq!(log, expected);
    let log = refused(&["extern constant int v; constant int *constant p = &v;"]);
    assert_eq!(log, "error: undefined reference to variable 'v' in 'p'\n");
    // What is declared and not used needs no definition.
    let unused = format!("{text} extern constant struct s w; kernel void k(global int *a) {{ a[0] = 7; }}");
    runs(&[&unused], "", "// run: k global=1 local=1 args: int[1] = 1\n// expect: 0 = 7");
    // Another unit's static is not meant.
    let called = "int f(int x); int g(int x) { return f(x); }";
    let kernel = "int g(int x); kernel void k(global int *a) { a[0] = g(1); }";
    let log = refused(&[called, "static int f(int x) { return x; }", kernel]);
    assert_eq!(log, "error: undefined reference to function 'f' in 'g'\n");
    // What no kernel reaches may call and name what is defined nowhere.
    let unreached = "int f(int x); extern constant int v; int g(int x) { return f(x) + v; }
        static int unused(int); static inline int h(int x) { return unused(x); }
        kernel void k(global int *a) { a[0] = 7; }";
    runs(&[unreached], "", "// run: k global=1 local=1 args: int[1] = 1\n// expect: 0 = 7");
}

#[test]
fn a_static_function_is_defined_in_its_unit() {
    let text = "static int f(int x); kernel void k(global int *a) { a[0] = f(1); }";
    let built = compile::compile(&Source { name: "unit.cl".into(), text: text.into() }, &[], "");
    assert!(
        built.result.is_err() && built.log.contains("undefined reference to function 'f'"),
        "{}",
        built.log
    );
}

#[test]
fn types_that_differ() {
    let call = "int f(int x); int g(int x) { return f(x); }";
    let log = refused(&[call, "int f(float x) { return x; }"]);
    assert_eq!(log, "error: 'g' calls function 'f' with other types than it has\n");
    assert!(
        refused(&[call, "float f(int x) { return x; }"]).contains("function 'f' is declared with different")
    );
    let log = refused(&["extern global int v[4];", "global int v[3];"]);
    assert_eq!(log, "error: variable 'v' is declared with different types\n");
    assert!(refused(&["extern constant int v;", "global int v;"]).contains("different types"));
    assert!(
        refused(&["constant int f = 1;", "int f(int x) { return x; }"]).contains("a variable in one unit")
    );
    assert!(
        refused(&["int f(int x) { return x; }", "constant int f = 1;"]).contains("a function in one unit")
    );
}

#[test]
fn overloads_cross_units() {
    let declared =
        "int __attribute__((overloadable)) f(int x); int __attribute__((overloadable)) f(float4 x);";
    let used = "kernel void k(global int *g) { g[0] = f(1); g[1] = f((float4)(2.0f)); }";
    let defined = "int __attribute__((overloadable)) f(float4 x) { return 40 + (int)x.w; }
        int __attribute__((overloadable)) f(int x) { return 30 + x; }";
    let directives = "// run: k global=1 args: int[2] = 0\n// expect: 0 = 31 42";
    runs(&[&format!("{declared} {used}"), defined], "", directives);
    assert!(
        refused(&[&format!("{declared} {used}")]).contains("undefined reference to function 'f(int)' in 'k'")
    );
}

#[test]
fn blocks_cross_units() {
    let types = "typedef int (^unary)(int); typedef struct { long a; int b; } S;";
    let callers = "int twice(unary f, int x) { return f(f(x)); }
        S make(S (^f)(S, int), S s) { return f(s, 3); }
        void each(int n, void (^f)(int)) { for (int i = 0; i < n; i++) f(i); }
        void synced(local int *t, void (^f)(local int *)) { f(t); barrier(CLK_LOCAL_MEM_FENCE); f(t); }";
    let declared = "int twice(unary f, int x); S make(S (^f)(S, int), S s); void each(int n, void (^f)(int));
        void synced(local int *t, void (^f)(local int *)); int other(int x);";
    let makers = "static unary halve = ^(int x) { return x / 2; };
        kernel void k(global int *g) {
            int by = g[0], i = get_global_id(0);
            S s = {1, 2};
            g[1] = twice(^(int x) { return x + by; }, 1);
            g[2] = twice(halve, 40);
            g[3] = twice(^(int x) { return x * x; }, 3) + other(5);
            S t = make(^(S x, int y) { x.a += y; x.b += s.a; return x; }, s);
            g[4] = t.a + 10 * t.b;
            each(2, ^(int a) { each(3, ^(int b) { g[5] += a * 10 + b; }); });
        }
        kernel void l(global int *g, local int *t) {
            int l = get_local_id(0), n = get_local_size(0);
            t[n + l] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            synced(t, ^(local int *p) {
                p[l] = g[l] + p[n + (l + 1) % n];
                barrier(CLK_LOCAL_MEM_FENCE);
                p[n + l] = p[(l + 1) % n];
            });
            g[l] = t[n + l];
        }";
    let more = "int other(int x) { return twice(^(int y) { return y - x; }, 100); }";
    let directives = "// run: k global=1 args: int[6] = 7 0 0 0 0 0
        // expect: 0 = 7 15 10 171 34 36
        // run: l global=4 local=4 args: int[4] = 1 10 100 1000; local 32
        // expect: 0 = 1010 101 1010 101";
    let texts = [callers, makers, more].map(|text| format!("{types} {declared} {text}"));
    runs(&texts.each_ref().map(String::as_str), "-cl-std=CL2.0", directives);
    // In one unit every block is known where it is called.
    let one = format!("{types} {callers} {more} {makers}");
    runs(&[&one], "-cl-std=CL2.0", directives);
    let BuildOutput::Executable(artifact) = link(&units(&[&one], "-cl-std=CL2.0"), "") else {
        panic!("not one")
    };
    for entry in artifact.entries() {
        let text = artifact.module().funcs[entry.func].to_string();
        assert!(!text.contains(" call") && !text.contains("alloca"), "{text}");
    }
}

/// More sets of blocks than functions are made instances for; the others go through closure_switches.
#[test]
fn any_number_of_sets_of_blocks() {
    fn sum(level: usize, [p, q, r]: [usize; 3]) -> usize {
        match level {
            0 => p + 10 * q + 100 * r,
            _ => {
                let below = level - 1;
                sum(below, [q, r, level]) + sum(below, [r, p, q]) + sum(below, [10 + level, p, r])
            }
        }
    }
    let mut text = String::from(
        "typedef int (^b)(void); int f0(b p, b q, b r) { return p() + 10 * q() + 100 * r(); }\n",
    );
    for i in 1..=5 {
        let f = i - 1;
        text += &format!(
            "int f{i}(b p, b q, b r) {{ return f{f}(q, r, ^{{ return {i}; }}) + f{f}(r, p, q) + f{f}(^{{ return 10 + {i}; }}, p, r); }}\n"
        );
    }
    text += "kernel void k(global int *g) {
        int one = 1, two = 2;
        g[0] = f5(^{ return one; }, ^{ return two; }, ^{ return one + two; });
    }";
    let directives = format!("// run: k global=1 args: int[1] = 0\n// expect: 0 = {}", sum(5, [1, 2, 3]));
    runs(&[&text], "-cl-std=CL2.0", &directives);
}

#[test]
fn barriers_in_blocks_that_cross_units() {
    let declared = "void each(int n, void (^f)(int));";
    let each = "void each(int n, void (^f)(int)) { for (int i = 0; i < n; i++) f(i); }";
    // The block given to a function of the other unit calls it again, three deep.
    let nested = format!(
        "{declared} kernel void k(global int *g, local int *t) {{
            int l = get_local_id(0), n = get_local_size(0), own = g[l];
            each(1, ^(int a) {{
                each(2, ^(int b) {{
                    each(2, ^(int c) {{
                        t[l] = own + 100 * a + 10 * b + c;
                        barrier(CLK_LOCAL_MEM_FENCE);
                        g[l] += t[(l + 1) % n];
                        barrier(CLK_LOCAL_MEM_FENCE);
                    }});
                }});
            }});
            each(1, ^(int z) {{ barrier(CLK_LOCAL_MEM_FENCE); g[n] = n; }});
        }}"
    );
    let directives = "// run: k global=4 local=4 args: int[5] = 1 2 3 4 0; local 16
        // expect: 0 = 31 36 41 30 4";
    runs(&[each, &nested], "-cl-std=CL2.0", directives);
}

#[test]
fn recursion_over_units_by_blocks() {
    let call = "void call(void (^f)(void)) { f(); }";
    let texts = [
        call,
        "void call(void (^f)(void)); void h(void); void g(void) { call(^{ h(); }); }",
        "void g(void); void h(void) { g(); }",
    ];
    assert!(refused(&texts).contains("recursion is not supported"));
    let global =
        "void call(void (^f)(void)); void h(void); void (^b)(void) = ^{ h(); }; void g(void) { call(b); }";
    assert!(refused(&[call, global, texts[2]]).contains("recursion is not supported"));
}

#[test]
fn recursion_over_units() {
    let texts =
        ["int g(int x); int f(int x) { return g(x); }", "int f(int x); int g(int x) { return f(x); }"];
    assert!(refused(&texts).contains("recursion is not supported"));
    // Calling twice is none.
    let twice = "int f(int x); int g(int x) { return f(f(x)) + f(1); }";
    link(&units(&[twice, "int f(int x) { return x; }"], ""), "");
}

#[test]
fn text_says_the_linkage() {
    let object = compile(
        "extern constant int v; constant int w = 1; static constant int x = 2; static int f(int y) { return y; }
        int g(int y) { return f(y) + v + w + x; }",
        "",
    );
    let text = object.module().to_string();
    for part in ["\"v\" extern constant 4", "\"w\" constant 4", "\"x\" internal constant 4"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(text.contains("\"f\" i32 internal {") && text.contains("\"g\" i32 {"), "{text}");
    for bad in ["global g0 \"v\" internal extern constant 4 4", "global g0 \"v\" extern constant 1 1 [00]"] {
        assert!(verify_module(&parse_module(bad).expect("it parses")).is_err(), "{bad}");
    }
}

#[test]
fn malformed_dispatchers_are_refused() {
    let good = "global g0 \"\" internal constant 16 8\nfunc f0 \"block\" void {\n}\n\
        func f1 \"b\" void internal {\nb0(v0: ptr.private):\n    ret\n}\n";
    let module =
        |dispatch: &str| parse_module(&format!("{good}{dispatch}")).map(|m| verify_module(&m).is_ok());
    let text = "dispatch f0 0 (ptr.private) {g0: f1}\n";
    assert_eq!(module(text), Ok(true));
    assert!(parse_module(&format!("{good}{text}")).expect("it parses").to_string().ends_with(text));
    for bad in [
        "dispatch f1 0 (ptr.private) {g0: f1}",
        "dispatch f9 0 (ptr.private) {}",
        "dispatch f0 1 (ptr.private) {}",
        "dispatch f0 0 (i32) {}",
        "dispatch f0 0 (ptr.private) {g9: f1}",
        "dispatch f0 0 (ptr.private) {g0: f9}",
        "dispatch f0 0 (ptr.private, i32) {g0: f1}",
    ] {
        assert_eq!(module(bad), Ok(false), "{bad}");
    }
    assert!(module("dispatch f0").is_err() && module("dispatch f0 0 (ptr.private) {g0 f1}").is_err());
}

#[test]
fn damaged_objects_are_refused() {
    let bytes = compile::save_object(&compile("int g(int); int f(int x) { return g(x); }", ""));
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        assert!(compile::load(&damaged).is_err(), "byte {at} does not matter");
    }
}
