//! Compile times, on every device the loader finds, side by side in one run.
//!
//! Usage: `compile [FOLDER [PROGRAM...]]`; FOLDER holds hashcat's OpenCL sources, by default
//! `/usr/share/hashcat/OpenCL`. If programs of hashcat are named (`m01500_a3-pure`), only they are built. Every
//! build defines a macro of its own, so that no cache of binaries is hit.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use grus_bench::client::{Arg, Buffer, Result, Session};
use grus_bench::table::Table;

/// Sampling step of hashcat's programs: one in this many is compiled for the rate of the front end.
const SAMPLING_STEP: usize = 40;

/// Name of a measurement, and function that measures a device.
type Row<'r> = (&'r str, &'r dyn Fn(&Session) -> Result<String>);

fn main() {
    let folder = std::env::args().nth(1).unwrap_or("/usr/share/hashcat/OpenCL".into());
    let folder = PathBuf::from(folder);
    let table = Table::begin("compile", &format!("{:<44}", ""));
    let hashcat = |name: &str| folder.join(name);
    let programs: Vec<String> = std::env::args().skip(2).collect();
    for name in &programs {
        table.row(name, &format!("{name:<44}"), |device| {
            let session = Session::new(device)?;
            time_builds(&session, &hashcat(&format!("{name}.cl"))).map_err(shortened)
        });
    }
    if !programs.is_empty() {
        return;
    }
    let rows: [Row<'_>; 4] = [
        ("20 functions, to code", &|s| generated(s, 20)),
        ("200 functions, to code", &|s| generated(s, 200)),
        ("hashcat m00000_a3-optimized, to code", &|s| time_builds(s, &hashcat("m00000_a3-optimized.cl"))),
        ("hashcat front end, lines a minute", &|s| front_end_rate(s, &folder)),
    ];
    for (name, row) in rows {
        table.row(name, &format!("{name:<44}"), |device| {
            let value = Session::new(device).and_then(|session| row(&session));
            value.map_err(shortened)
        });
    }
}

fn shortened(message: String) -> String {
    message.lines().take(3).collect::<Vec<_>>().join(" ")
}

/// Returns a number that differs in every build of every run.
fn fresh() -> u128 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos())
}

fn milliseconds(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    format!("{:.1} ms", times[times.len() / 2].as_secs_f64() * 1e3)
}

/// Maximum number of arguments of a kernel of hashcat.
// Arbitrary.
const MAX_ARGS: usize = 40;

/// Creates zeroed buffers for the arguments of kernels. Each argument has a buffer of its own, as in real programs,
/// since generated code may rely on the absence of aliasing.
fn zeros(session: &Session, count: usize, size: usize) -> Result<Vec<Buffer>> {
    let one = |_| {
        let buffer = session.buffer(size)?;
        session.write(&buffer, &vec![0u8; size])?;
        Ok(buffer)
    };
    (0..count).map(one).collect()
}

/// Builds, creates all kernels, and launches each with one work-item, which generates its machine code.
fn build_and_launch(session: &Session, source: &[u8], options: &str, buffers: &[Buffer]) -> Result<Duration> {
    let start = Instant::now();
    let program = session.build(source, options)?;
    let kernels = program.kernel_names().into_iter().map(|name| program.kernel(&name));
    for kernel in kernels.collect::<Result<Vec<_>>>()? {
        let args: Vec<Arg<'_>> = buffers.iter().take(kernel.arg_count()).map(Arg::Buffer).collect();
        kernel.set(&args)?;
        session.enqueue(&kernel, &[1], Some(&[1]))?;
        session.finish()?;
    }
    Ok(start.elapsed())
}

/// Returns a program of `count` functions of ten lines in chains of ten, one in five of them with trigonometry, and
/// a kernel that calls the first function of each chain.
fn functions(count: usize) -> String {
    let mut text = String::new();
    for i in (0..count).rev() {
        let next = if i % 10 == 9 { "v".into() } else { format!("f{}(v, i + 1)", i + 1) };
        let wave = if i % 5 == 0 { "sin" } else { "fabs" };
        let _ = write!(
            text,
            "float4 f{i}(float4 v, int i) {{
    float4 a = v * {i}.5f;
    if (i > {i}) return a;
    for (int n = 0; n < {}; ++n) {{
        a.xy += {wave}(a.zw) + (float2)(n, {i});
        a.w = fmax(a.x, a.y);
        a = a.wzyx + 1.0f;
    }}
    v = a.x > 0.0f ? {next} : a;
    return v + a;
}}
",
            i % 5 + 2,
        );
    }
    text += "kernel void k(global float4 *g) {\n    float4 v = g[0];\n";
    for i in (0..count).step_by(10) {
        let _ = writeln!(text, "    v += f{i}(v, {i});");
    }
    text += "    g[0] = v;\n}\n";
    text
}

fn generated(session: &Session, count: usize) -> Result<String> {
    let buffers = zeros(session, 1, 4096)?;
    let text = functions(count);
    let options = || format!("-D FRESH={}ul", fresh() as u64);
    let times = (0..3).map(|_| build_and_launch(session, text.as_bytes(), &options(), &buffers));
    times.collect::<Result<Vec<_>>>().map(milliseconds)
}

/// Returns the options that hashcat uses for a straight or mask attack.
fn hashcat_options(file: &Path) -> String {
    let folder = file.parent().unwrap_or(Path::new(".")).display();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let attack = if name.contains("_a3") { 3 } else { u32::from(name.contains("_a1")) };
    let vector = if name.contains("optimized") { 4 } else { 1 };
    let mut options = format!(
        "-D KERNEL_STATIC -I {folder} -D XM2S(x)=#x -D M2S(x)=XM2S(x) -D INCLUDE_PATH={folder} \
         -D LOCAL_MEM_TYPE=1 -D VENDOR_ID=64 -D CUDA_ARCH=0 -D VECT_SIZE={vector} -D DEVICE_TYPE=2 \
         -D DGST_R0=0 -D DGST_R1=3 -D DGST_R2=2 -D DGST_R3=1 -D DGST_ELEM=4 -D KERN_TYPE=0 \
         -D ATTACK_EXEC=11 -D ATTACK_KERN={attack} -D ATTACK_MODE={attack} -D HASH_MODE=0 -w"
    );
    options += " -D FIXED_LOCAL_SIZE=1 -D FIXED_LOCAL_SIZE_COMP=1";
    for name in ["HAS_ADD", "HAS_ADDC", "HAS_SUB", "HAS_SUBC", "HAS_VADD", "HAS_VADDC"] {
        let _ = write!(options, " -D {name}=0");
    }
    let _ = write!(options, " -D FRESH={}ul", fresh() as u64);
    options
}

fn time_builds(session: &Session, file: &Path) -> Result<String> {
    let source = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    // Zeros in every argument tell the kernels that there is no work.
    let buffers = zeros(session, MAX_ARGS, 1 << 20)?;
    let times = (0..3).map(|_| build_and_launch(session, &source, &hashcat_options(file), &buffers));
    times.collect::<Result<Vec<_>>>().map(milliseconds)
}

/// Compiles some of hashcat's programs. Returns the rate in lines per minute, includes counted.
fn front_end_rate(session: &Session, folder: &Path) -> Result<String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('m')));
    files.sort();
    let (mut lines, mut time) = (0, Duration::ZERO);
    for file in files.iter().step_by(SAMPLING_STEP) {
        let source = fs::read(file).map_err(|e| e.to_string())?;
        lines += count_lines(file, &mut BTreeSet::new());
        let start = Instant::now();
        session.compile(&source, &hashcat_options(file))?;
        time += start.elapsed();
    }
    if lines == 0 {
        return Err("no programs there".into());
    }
    Ok(format!("{:.2} million", lines as f64 / time.as_secs_f64() * 60.0 / 1e6))
}

/// Counts the lines of a file and of its includes, each file once.
fn count_lines(file: &Path, seen: &mut BTreeSet<PathBuf>) -> usize {
    if !seen.insert(file.to_path_buf()) {
        return 0;
    }
    let bytes = fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().count();
    for line in text.lines().filter(|line| line.trim_start().starts_with("#include")) {
        let name = line.split(['"', '<', '>', '/', '(', ')', ' ']).find(|word| word.contains('.'));
        if let Some(name) = name {
            lines += count_lines(&file.with_file_name(name), seen);
        }
    }
    lines
}
