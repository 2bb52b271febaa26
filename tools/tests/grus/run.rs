//! Tests of `grus run`: arguments of all kinds, results, and errors.

use std::fs;

use super::{Said, command, folder, grus, put, said, the_library};

/// Runs a kernel of this source.
fn run(name: &str, source: &str, words: &[&str]) -> Said {
    let folder = folder(&format!("run-{name}"));
    put(&folder, "k.cl", source);
    let mut run = command(&folder);
    run.args(["run", "k.cl"]).args(words);
    said(&mut run)
}

const SAXPY: &str = "kernel void saxpy(float a, global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}
";

#[test]
fn results_are_shown() {
    let out = run("saxpy", SAXPY, &["-g", "16", "2.5", "iota", "ones"]).status(0).out;
    assert_eq!(out, "y: float[16] 1 3.5 6 8.5 11 13.5 16 18.5 …\n");
    let named = run("saxpy", SAXPY, &["-g", "3", "y=zeros", "2", "x=1,2,3", "-p", "y"]).status(0).out;
    assert_eq!(named, "y: float[3] 2 4 6\n");
    let all = run("saxpy", SAXPY, &["-g", "9", "-1", "iota", "zeros", "-n", "0"]).status(0).out;
    assert!(all.starts_with("y: float[9] 0 -1 -2 -3 -4 -5 -6 -7 -8\n"), "{all}");
    assert_eq!(run("saxpy", SAXPY, &["-g", "9", "1", "iota", "zeros", "-q"]).status(0).out, "");
}

#[test]
fn random_numbers_follow_the_seed() {
    let of = |seed: &str| {
        run("random", SAXPY, &["-g", "64", "1", "random=-1..1", "zeros", "--seed", seed]).status(0).out
    };
    assert_eq!(of("1"), of("1"));
    assert_ne!(of("1"), of("2"));
}

#[test]
fn every_type_of_value() {
    let source = "typedef struct { int a; float b; } S;\n\
        kernel void t(global double *d, char c, uchar3 u, short2 s, ulong l, float4 f, half h, S st, constant int *k) {\n\
        d[0] = c; d[1] = u.x + u.y + u.z; d[2] = s.x - s.y; d[3] = (double)l; d[4] = f.x + f.w; d[5] = h; d[6] = st.a + st.b;\n\
        d[7] = k[1]; d[8] = get_global_id(0); }\n";
    let folder = folder("run-types");
    put(&folder, "t.cl", format!("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{source}"));
    put(&folder, "s.raw", [3i32.to_le_bytes(), 0.5f32.to_le_bytes()].concat());
    let words = [
        "run",
        "t.cl",
        "-g",
        "1",
        "-o",
        "40",
        "zeros:9",
        "c=-3",
        "1,2,3",
        "s=-1,7",
        "0xffffffff",
        "1.5",
        "0.25",
        "@s.raw",
        "4,5",
        "-n",
        "0",
    ];
    let out = grus(&folder, &words).status(0).out;
    assert!(out.starts_with("d: double[9] -3 6 -8 4294967295 3 0.25 3.5 5 40\n"), "{out}");
}

#[test]
fn local_memory_and_groups() {
    let source = "kernel void sum(global const int *in, global int *out, local int *l) {
        size_t i = get_local_id(0);
        l[i] = in[get_global_id(0)];
        for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < s) l[i] += l[i + s];
        }
        if (i == 0) out[get_group_id(0)] = l[0];
    }\n";
    let sum = |words: &[&str]| {
        run("local", source, &[&["-g", "4K", "-l", "64", "ones", "zeros:64"], words].concat())
    };
    assert!(sum(&["--expect", "out=64"]).status(0).out.contains("out: as what is expected"));
    sum(&["64", "--expect", "out=64"]).status(0);
    sum(&["256B", "--expect", "out=64"]).status(0);
    let wrong = sum(&["--expect", "out=iota"]).status(1);
    assert!(
        wrong.err.starts_with("out[0] is 64, not 0\n") && wrong.err.contains("out: 64 differ"),
        "{}",
        wrong.err
    );
    // A work-group size that the kernel requires takes precedence.
    let required = format!("__attribute__((reqd_work_group_size(64, 1, 1)))\n{source}");
    run("required", &required, &["-g", "128", "ones", "zeros:2", "64", "--expect", "out=64"]).status(0);
}

#[test]
fn arrays_of_numpy() {
    let folder = folder("run-npy");
    put(
        &folder,
        "k.cl",
        "kernel void k(global float3 *v, global int *n) {\n  size_t i = get_global_id(0);\n  v[i] *= 2; n[i] += v[i].z; }\n",
    );
    let words = ["run", "k.cl", "-g", "4", "iota", "zeros", "--write", "v=v.npy", "--write", "n=n.raw"];
    grus(&folder, &words).status(0);
    let file = fs::read(folder.join("v.npy")).expect("a file");
    assert!(
        String::from_utf8_lossy(&file[..80])
            .contains("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }")
    );
    assert_eq!(file.len(), 128 + 48);
    assert_eq!(fs::read(folder.join("n.raw")).expect("a file").len(), 16);
    let again =
        ["run", "k.cl", "-g", "4", "@v.npy", "@n.raw", "--expect", "v=iota=0,4", "--expect", "n=12,30,48,66"];
    grus(&folder, &again).status(0);
    let other = grus(&folder, &["run", "k.cl", "-g", "4", "zeros", "@v.npy"]).status(2);
    assert!(other.err.ends_with("v.npy: it has float, not int\n"), "{}", other.err);
}

#[test]
fn images_and_pictures() {
    let folder = folder("run-images");
    put(
        &folder,
        "k.cl",
        "kernel void mirror(read_only image2d_t src, write_only image2d_t dst, sampler_t s) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            int2 from = (int2)(get_image_width(src) - 1 - at.x, at.y);
            write_imagef(dst, at, read_imagef(src, s, from));
        }
        kernel void draw(global uchar4 *p) {
            size_t x = get_global_id(0), y = get_global_id(1);
            p[y * get_global_size(0) + x] = (uchar4)(x, y, x + y, 255);
        }\n",
    );
    grus(&folder, &["run", "k.cl", "-k", "draw", "-g", "20x10", "zeros", "--write", "p=a.png"]).status(0);
    let mirror = |from: &str, to: &str, words: &[&str]| {
        let all =
            [&["run", "k.cl", "-k", "mirror", "-g", "20,10", from, "zeros", "--write", to, "-q"], words]
                .concat();
        grus(&folder, &all)
    };
    mirror("@a.png", "dst=b.png", &[]).status(0);
    assert_ne!(
        fs::read(folder.join("a.png")).expect("a file"),
        fs::read(folder.join("b.png")).expect("a file")
    );
    mirror("@b.png", "dst=c.png", &["--expect", "dst=@a.png"]).status(0);
    mirror("@a.png", "dst=c.png", &["--expect", "dst=@a.png"]).status(1);
    mirror("@a.png:bgra8", "dst=c.npy", &["_"]).status(0);
    mirror("random:20x10:rgba32f", "dst=c.raw", &["linear,clamp"]).status(0);
    assert_eq!(fs::read(folder.join("c.raw")).expect("a file").len(), 800);
    let bad = mirror("@a.png:10x10", "dst=c.raw", &[]).status(2);
    assert!(bad.err.contains("the file has 200 texels, 10x10 are 100"), "{}", bad.err);
}

#[test]
fn times_and_other_vendors() {
    let library = the_library().display().to_string();
    let words = ["-g", "1K", "3", "random", "random", "--repeat", "5", "--vendor", &library, "-q"];
    let out = run("vendor", SAXPY, &words).status(0).out;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(
        lines[0].starts_with("saxpy on Grus (")
            && lines[0].contains("of 5 runs, ")
            && lines[0].contains("B/s"),
        "{out}"
    );
    assert!(lines[2].starts_with("y: as Grus ("), "{out}");
    // A copy of the library has memory of its own, so that addresses differ.
    let copy = super::library::profile_folder().join("grus-tests").join("libcopy.so");
    fs::copy(&library, &copy).expect("a copy can be made");
    let source = "kernel void a(global ulong *x) { x[0] = (ulong)x; }";
    let differs =
        run("vendor-differs", source, &["-g", "1", "zeros:1M", "--vendor", &copy.display().to_string()]);
    fs::remove_file(&copy).expect("the copy can be removed");
    assert!(differs.status(1).err.contains("x: 1 differs from Grus ("));
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_code_that_ran() {
    let folder = folder("run-asm");
    put(&folder, "k.cl", SAXPY);
    let mut run = command(&folder);
    run.args(["run", "k.cl", "-g", "64", "2", "iota", "ones", "-q", "--asm", "k.s"]).env("TMPDIR", &folder);
    said(&mut run).status(0);
    let text = fs::read_to_string(folder.join("k.s")).expect("a file");
    assert!(text.contains("saxpy") && text.contains("  ; k.cl:3\n") && text.contains("  ret\n"), "{text}");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2, "the library's file is gone");
}

#[test]
fn kernels_that_fault() {
    let source = "kernel void f(global int *x) {\n  x[get_global_id(0)] = 1;\n}\n";
    let fault = run("fault", source, &["-g", "8", "null"]).status(1);
    assert!(fault.err.contains("kernel f, k.cl:2, work-item"), "{}", fault.err);
    let last = fault.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("grus: error: the kernel failed: CL_OUT_OF_RESOURCES"), "{}", fault.err);
    let broken = run("broken", "kernel void f() { return 1; }", &["-g", "1"]).status(1);
    assert!(broken.err.starts_with("k.cl:1:"), "{}", broken.err);
}

/// Invalid input of every kind results in one line with the reason.
#[test]
fn input_that_makes_no_sense() {
    let source = "typedef struct { int x; } T;\nkernel void a(global float *x, int n, global T *t) { x[0] = n; }\n\
                  kernel void b(read_only image2d_t i, sampler_t s, image1d_buffer_t u) {}\n";
    let cases: [(&[&str], &str); 27] = [
        (&["-g", "4", "1"], "which kernel? -k takes one of a, b"),
        (&["-g", "4", "-k", "c"], "no kernel \"c\", but a, b"),
        (&["-g", "0", "-k", "a"], "-g 0: it takes one to three numbers above 0"),
        (&["-g", "1,2,3,4", "-k", "a"], "-g 1,2,3,4"),
        (&["-g", "9999999G,9999999G", "-k", "a"], "there are too many work-items"),
        (&["-g", "4", "-k", "a", "zeros:9999999Gx9999999G"], "there are too many elements"),
        (&["-g", "4", "-l", "2x2", "-k", "a"], "-l has 2 dimensions, -g has 1"),
        (&["-g", "4", "-k", "a"], "argument 0, `global float* x`: it is missing: give a buffer"),
        (&["-g", "4", "-k", "a", "zeros"], "argument 1, `int n`: it is missing: give a value"),
        (&["-g", "4", "-k", "a", "zeros", "1.5"], "1.5 is no int"),
        (&["-g", "4", "-k", "a", "zeros", "3000000000"], "3000000000 is no int"),
        (&["-g", "4", "-k", "a", "zeros", "x"], "\"x\" is no int"),
        (&["-g", "4", "-k", "a", "zeros", "1,2"], "2 numbers, int has 1"),
        (&["-g", "4", "-k", "a", "zeros", "1", "zeros", "4"], "one argument too many"),
        (&["-g", "4", "-k", "a", "y=zeros"], "no argument \"y\", but x, n, t"),
        (&["-g", "4", "-k", "a", "zeros:x"], "neither a number of elements nor a format"),
        (&["-g", "4", "-k", "a", "zeros:4:rgba8"], "a format is for images"),
        (&["-g", "4", "-k", "a", "zeroes"], "is no content"),
        (&["-g", "4", "-k", "a", "@missing.npy"], "missing.npy: no such file"),
        (&["-g", "4", "-k", "a", "@k.cl"], "no whole number of elements"),
        (&["-g", "4", "-k", "a", "zeros:1000000G:1"], "neither"),
        (&["-g", "4", "-k", "a", "zeros", "1", "zeros", "--write", "n=x"], "n is no buffer"),
        (&["-g", "4", "-k", "a", "zeros", "1", "zeros", "--write", "x"], "--write x: it takes the name"),
        (&["-g", "4", "-k", "a", "zeros", "1", "zeros", "--type", "t=T"], "no such scalar"),
        (&["-g", "4", "-k", "b", "zeros"], "argument 0, `read_only image2d_t i`: its size is missing"),
        (&["-g", "4", "-k", "b", "zeros:4x4", "soft"], "\"soft\" is not of a sampler"),
        (
            &["-g", "6", "-l", "4", "-k", "a", "zeros", "1", "zeros", "-cl-std=CL1.2"],
            "CL_INVALID_WORK_GROUP_SIZE",
        ),
    ];
    for (words, expected) in cases {
        let said = run("input", source, words);
        assert_eq!(said.status, Some(2), "{words:?}\n{}{}", said.out, said.err);
        let lines: Vec<&str> = said.err.lines().filter(|line| line.starts_with("grus: error: ")).collect();
        assert!(lines.len() == 1 && lines[0].contains(expected), "{words:?}: {expected}\n{}", said.err);
    }
    // Errors that clap reports have more lines.
    for words in [&["1"][..], &["-g"], &["-g", "4", "--repeat", "0"], &["-g", "4", "--tolerance", "x"]] {
        assert_eq!(run("input", source, words).status, Some(2), "{words:?}");
    }
}
