//! Tests of `grus capture` and `grus replay`: a launch is written to a file and replayed, with arguments of all
//! kinds.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Said, command, folder, grus, library, many, put, said, the_library};

/// Returns the command `grus capture` with these options.
fn capture(folder: &Path, options: &[&str]) -> Command {
    let mut capture = command(folder);
    capture.arg("capture").args(options).arg("--");
    capture.env("XDG_CACHE_HOME", folder.join("cache")).env("TMPDIR", folder);
    capture
}

/// Captures the client with arguments of all kinds, in a process of its own.
fn of_client(folder: &Path, options: &[&str], what: &str) -> Said {
    let mut capture = capture(folder, options);
    capture.arg(std::env::current_exe().expect("this test has a path")).env(many::WHAT, what);
    let name = "many::kernels_with_arguments_of_all_kinds";
    said(capture.args(["--exact", name, "--nocapture", "--test-threads=1"]))
}

/// Captures `grus run`.
fn of_run(folder: &Path, options: &[&str], words: &[&str]) -> Said {
    let mut capture = capture(folder, options);
    said(capture.arg(env!("CARGO_BIN_EXE_grus")).args(["run", "k.cl"]).args(words))
}

const SOURCE: &str = "kernel void scale(global const float *x, global float *y, float a, uint n) {
    uint i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
kernel void other(global int *p) { p[get_global_id(0)] = 1; }
";
const WORDS: [&str; 9] = ["-q", "-k", "scale", "-g", "1000", "iota", "ones", "2.5", "999"];

/// Returns a folder with `a.tar.gz`, a captured launch of `scale`.
fn captured(name: &str) -> std::path::PathBuf {
    let folder = folder(&format!("capture-{name}"));
    put(&folder, "k.cl", SOURCE);
    of_run(&folder, &["-o", "a.tar.gz"], &WORDS).status(0);
    folder
}

#[test]
fn what_is_captured_is_told_and_runs_again() {
    let folder = folder("capture-run");
    put(&folder, "k.cl", SOURCE);
    let said = of_run(&folder, &["-k", "scale"], &WORDS).status(0);
    for text in [
        "launch 1 of scale: 1000 in groups of ",
        "x         float*  buffer of 4.0 kB  read only\n",
        " 2.5\n",
        " 999\n",
        "changed",
    ] {
        assert!(said.err.contains(text), "{text}: {}", said.err);
    }
    assert!(said.err.contains("grus: grus-capture.tar.gz: "), "{}", said.err);
    let said = grus(&folder, &["replay", "grus-capture.tar.gz"]).status(0);
    assert!(
        said.out.starts_with(
            "y: as captured (largest difference 0.000e0)\n1 object that was only read: unchanged\nscale on "
        ),
        "{}",
        said.out
    );
    let shown = grus(&folder, &["replay", "--show", "grus-capture.tar.gz"]).status(0).out;
    assert!(shown.contains("run k.cl") && shown.contains("launch 1 of scale"), "{shown}");
    let times =
        grus(&folder, &["replay", "grus-capture.tar.gz", "--repeat", "5", "--no-compare"]).status(0).out;
    assert!(
        times.contains(" of 5 runs") && times.contains("median") && !times.contains("captured"),
        "{times}"
    );
}

#[test]
fn another_source_differs() {
    let folder = captured("source");
    put(&folder, "wrong.cl", SOURCE.replace("a * x[i]", "a * x[i] + (i == 7) * 0.25f"));
    let said = grus(&folder, &["replay", "a.tar.gz", "--source", "wrong.cl"]).status(1);
    assert!(
        said.err.contains("y[7] is 18.75, not 18.5") && said.err.contains("y: 1 differs"),
        "{}",
        said.err
    );
    grus(&folder, &["replay", "a.tar.gz", "--source", "wrong.cl", "--tolerance", "0.1"]).status(0);
    put(&folder, "broken.cl", "kernel void scale(");
    let said = grus(&folder, &["replay", "a.tar.gz", "--source", "broken.cl"]).status(1);
    assert!(said.err.contains("the program does not build"), "{}", said.err);
    put(&folder, "no.cl", "kernel void other() {}");
    grus(&folder, &["replay", "a.tar.gz", "--source", "no.cl"]).status(1);
    grus(&folder, &["replay", "a.tar.gz", "--source", "k.cl", "--source", "k.cl"]).status(2);
    // Other work-group sizes and options give the same results.
    grus(&folder, &["replay", "a.tar.gz", "--local", "10", "--set-options", "-cl-opt-disable"]).status(0);
    grus(&folder, &["replay", "a.tar.gz", "--local", "10x10"]).status(2);
    grus(&folder, &["replay", "a.tar.gz", "--set-options", "-cl-nonsense"]).status(1);
}

#[test]
fn a_folder_is_edited_and_runs() {
    let folder = captured("extract");
    let said = grus(&folder, &["replay", "a.tar.gz", "--extract", "all"]).status(0);
    assert!(said.out.contains("all/program/0.cl"), "{}", said.out);
    assert!(fs::read_to_string(folder.join("all/program/0.cl")).expect("the source").contains("a * x[i]"));
    assert_eq!(fs::read(folder.join("all/memory/1-after.bin")).expect("contents").len(), 4000);
    grus(&folder, &["replay", "all"]).status(0);
    let path = folder.join("all/program/0.cl");
    let text = fs::read_to_string(&path).expect("the source");
    fs::write(&path, text.replace("a * x[i]", "a - x[i]")).expect("written");
    grus(&folder, &["replay", "all"]).status(1);
    let mut bytes = fs::read(folder.join("all/memory/0-before.bin")).expect("contents");
    bytes.pop();
    fs::write(folder.join("all/memory/0-before.bin"), bytes).expect("written");
    let said = grus(&folder, &["replay", "all"]).status(2);
    assert!(said.err.contains("has 3999 bytes, the manifest says 4000"), "{}", said.err);
}

#[test]
fn beside_another_vendor() {
    let folder = captured("vendor");
    let other = library::vendors("grus-tests/capture-vendor/vendors", the_library());
    let other = other.to_str().expect("a path");
    let said = grus(&folder, &["replay", "a.tar.gz", "--vendor", other, "--repeat", "3"]).status(0).out;
    assert_eq!(said.matches("y: as captured").count(), 2, "{said}");
    let said = grus(&folder, &["replay", "a.tar.gz", "--vendor", other, "--without-grus"]).status(0).out;
    assert_eq!(said.matches("y: as captured").count(), 1, "{said}");
    grus(&folder, &["replay", "a.tar.gz", "--without-grus"]).status(2);
    grus(&folder, &["replay", "a.tar.gz", "--vendor", "/nowhere"]).status(1);
}

#[test]
fn a_launch_that_never_comes() {
    let folder = folder("capture-never");
    put(&folder, "k.cl", SOURCE);
    let said = of_run(&folder, &["-k", "blur", "-o", "a.tar.gz"], &WORDS).status(1);
    assert!(
        said.err.contains("error: launch 1 of blur never came") && said.err.contains(" scale"),
        "{}",
        said.err
    );
    assert!(!folder.join("a.tar.gz").exists());
    let said = of_run(&folder, &["-n", "2"], &WORDS).status(1);
    assert!(said.err.contains("error: launch 2 never came"), "{}", said.err);
    let said =
        of_run(&folder, &["--list"], &[&WORDS[..], &["--repeat", "10", "--warmup", "1"]].concat()).status(0);
    assert!(said.err.contains("kernel  launches") && said.err.contains("scale         12"), "{}", said.err);
    let mut no_opencl = capture(&folder, &[]);
    let none = super::said(no_opencl.arg("true")).status(1);
    assert!(none.err.contains("no kernel was launched"), "{}", none.err);
    super::said(capture(&folder, &[]).arg("/no/such/program")).status(127);
    super::said(capture(&folder, &["-o", "a.tar.gz"]).args(["sh", "-c", "exit 7"])).status(7);
    super::said(capture(&folder, &["-n", "0"]).arg("true")).status(2);
}

#[test]
fn what_is_no_file_stays_what_it_is() {
    let folder = folder("capture-pipe");
    put(&folder, "k.cl", SOURCE);
    let run = |program: &str, words: &[&str]| {
        std::process::Command::new(program).args(words).current_dir(&folder).spawn().expect("it is installed")
    };
    assert!(run("mkfifo", &["pipe"]).wait().expect("it ends").success());
    let mut reader = run("sh", &["-c", "cat pipe > a.tar.gz"]);
    of_run(&folder, &["-o", "pipe"], &WORDS).status(0);
    assert!(reader.wait().expect("it ends").success());
    grus(&folder, &["replay", "a.tar.gz"]).status(0);
    assert!(!std::fs::metadata(folder.join("pipe")).expect("it is there").is_file());
    // A device that is always full, under another name.
    std::os::unix::fs::symlink("/dev/full", folder.join("full")).expect("a link");
    let said = of_run(&folder, &["-o", "full"], &WORDS).status(1);
    assert!(said.err.contains("error: full: no space left on device"), "{}", said.err);
    assert!(folder.join("full").is_symlink());
}

#[test]
fn arguments_of_all_kinds() {
    let folder = folder("capture-kinds");
    for (kernel, launch) in
        [("all", "1"), ("all", "2"), ("eat", "2"), ("parent", "1"), ("linked", "1"), ("feed", "2")]
    {
        let said = of_client(&folder, &["-k", kernel, "-n", launch, "-o", "a.tar.gz"], "").status(0);
        assert!(said.err.contains(&format!("launch {launch} of {kernel}")), "{}", said.err);
        let replay = grus(&folder, &["replay", "a.tar.gz", "--repeat", "2"]).status(0);
        assert!(replay.out.contains("as captured"), "{}{}", replay.out, replay.err);
        assert!(!replay.err.contains("not compared: counter"), "{}", replay.err);
    }
}

#[test]
fn what_kernels_reach_is_all_there() {
    let folder = folder("capture-reach");
    let said = of_client(&folder, &["-k", "all", "-n", "2", "-o", "a.tar.gz"], "").status(0).err;
    for text in [
        "image of 4x4 texels of 4 B",
        "image of 4x4x2 texels of 4 B",
        "image of 16 texels of 4 B, of object",
        "of object",
        "null",
        "32 B of local memory",
        "shared memory of 16 B",
        "variable of 4 B",
        "8 bytes",
        "sampler",
    ] {
        assert!(said.contains(text), "{text}: {said}");
    }
    // Only the bytes that the two sub-buffers cover together are captured of the buffer of 1024 bytes.
    grus(&folder, &["replay", "a.tar.gz", "--extract", "all"]).status(0);
    let manifest = fs::read_to_string(folder.join("all/manifest.json")).expect("a manifest");
    assert!(manifest.contains("{\"kind\": \"buffer\", \"size\": 192, "), "{manifest}");
    assert!(manifest.contains("\"offset\": 128, \"size\": 64, "), "{manifest}");
    // Both allocations of the list are captured: the argument, and the one to which its first word points.
    let list = manifest.matches("\"kind\": \"shared\", \"address\"").count();
    assert_eq!(list, 2, "{manifest}");
    for (text, wrong) in [
        ("n->value *= 2", "n->value *= 3"),
        ("(*counted)++", "(*counted) + 1"),
        ("none == 0", "none != 0"),
        (" + 1 + read", " + 2 + read"),
    ] {
        let source = fs::read_to_string(folder.join("all/program/0.cl")).expect("the source");
        assert!(source.contains(text), "{source}");
        put(&folder, "wrong.cl", source.replace(text, wrong));
        grus(&folder, &["replay", "a.tar.gz", "--source", "wrong.cl"]).status(1);
    }
}

#[test]
fn memory_that_nobody_knows_is_refused() {
    let folder = folder("capture-stray");
    let said = of_client(&folder, &["-o", "a.tar.gz"], "stray").status(0);
    assert!(said.err.contains("which is not captured"), "{}", said.err);
    let said = grus(&folder, &["replay", "a.tar.gz"]).status(2);
    assert!(said.err.contains("argument 0, p: it points to memory of the program"), "{}", said.err);
}

#[test]
fn launches_that_end_badly() {
    let folder = folder("capture-bad");
    let said = of_client(&folder, &["-o", "a.tar.gz"], "fault").status(0);
    assert!(said.err.contains("; it failed"), "{}", said.err);
    let said = grus(&folder, &["replay", "a.tar.gz"]).status(1);
    assert!(
        said.err.contains("nothing to compare with") && said.err.contains("kernel fault"),
        "{}",
        said.err
    );
    let said = of_client(&folder, &["-o", "b.tar.gz"], "endless");
    assert_eq!(said.signal, Some(libc::SIGKILL), "{}", said.err);
    assert!(said.err.contains("the program ended during this launch"), "{}", said.err);
    let shown = grus(&folder, &["replay", "b.tar.gz", "--show"]).status(0).out;
    assert!(shown.contains("launch 1 of endless"), "{shown}");
}

#[test]
fn files_on_disk_are_not_needed() {
    let folder = folder("capture-include");
    put(&folder, "f.h", "#define F 3.0f\n");
    put(&folder, "k.cl", "#include \"f.h\"\nkernel void k(global float *p) { p[get_global_id(0)] *= F; }");
    of_run(&folder, &["-o", "a.tar.gz"], &["-q", "-g", "8", "ones"]).status(0);
    fs::remove_file(folder.join("f.h")).expect("removed");
    grus(&folder, &["replay", "a.tar.gz"]).status(0);
    grus(&folder, &["replay", "a.tar.gz", "--extract", "all"]).status(0);
    let given = fs::read_to_string(folder.join("all/program/0-given.cl")).expect("the source");
    assert!(given.contains("#include \"f.h\""), "{given}");
}

#[test]
fn without_the_tool() {
    let folder = folder("capture-variable");
    put(&folder, "k.cl", SOURCE);
    fs::create_dir(folder.join("c")).expect("a folder");
    let mut run = command(&folder);
    run.env("GRUS_CAPTURE", format!("{}:scale:3", folder.join("c").display()));
    super::said(run.args(["run", "k.cl"]).args(WORDS).args(["--repeat", "5", "--warmup", "0"])).status(0);
    let said = grus(&folder, &["capture", "--read", "c", "-o", "a.tar.gz"]).status(0);
    assert!(said.err.contains("launch 3 of scale"), "{}", said.err);
    grus(&folder, &["replay", "a.tar.gz"]).status(0);
    // The file that the library has written can be replayed without conversion.
    let written = fs::read_dir(folder.join("c")).expect("a folder").flatten().map(|entry| entry.path());
    let archive =
        written.into_iter().find(|path| path.extension().is_some_and(|end| end == "tar")).expect("a file");
    grus(&folder, &[Path::new("replay"), &archive]).status(0);
    let mut bad = command(&folder);
    bad.env("GRUS_CAPTURE", "/nowhere/at/all").args(["run", "k.cl"]).args(WORDS);
    let bad = super::said(&mut bad).status(0);
    assert!(bad.err.contains("GRUS_CAPTURE must be a folder where files can be made"), "{}", bad.err);
}

#[test]
fn damaged_files() {
    let folder = captured("damaged");
    let whole = fs::read(folder.join("a.tar.gz")).expect("the file");
    let replayed = |bytes: &[u8]| {
        put(&folder, "b.tar.gz", bytes);
        grus(&folder, &["replay", "b.tar.gz", "--show"])
    };
    for length in (0..whole.len()).step_by(whole.len() / 40) {
        let said = replayed(&whole[..length]).status(2);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    }
    // A changed byte is detected by the checksum, or results in other contents at worst.
    let mut seed = 1u32;
    for _ in 0..60 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut bytes = whole.clone();
        let at = seed as usize % bytes.len();
        bytes[at] ^= 1 << (seed >> 29);
        let said = replayed(&bytes);
        assert!(
            matches!(said.status, Some(0 | 2)) && !said.err.contains("panicked"),
            "{at}: {:?} {}",
            said.status,
            said.err
        );
    }
    for foreign in [&b""[..], b"x", b"kernel void a() {}", &[0x1f, 0x8b], &[0; 2000], &[0xff; 5000]] {
        assert!(replayed(foreign).status(2).err.starts_with("grus: error: b.tar.gz: "));
    }
    grus(&folder, &["replay", "nowhere.tar.gz"]).status(2);
    grus(&folder, &["replay", "."]).status(2);
}

/// Captures with a manipulated manifest: a folder has no checksum that would detect it.
#[test]
fn hostile_files() {
    let folder = captured("hostile");
    grus(&folder, &["replay", "a.tar.gz", "--extract", "all"]).status(0);
    let manifest = fs::read_to_string(folder.join("all/manifest.json")).expect("a manifest");
    for (from, to) in [
        ("\"size\": 4000", "\"size\": 4000000000000000"),
        ("\"size\": 4000", "\"size\": 3999"),
        ("\"object\": 1", "\"object\": 99"),
        ("program/0.cl", "../../k.cl"),
        ("[1000, 1, 1]", "[0, 1, 1]"),
        ("\"format\": 1", "\"format\": 77"),
        (
            "\"kind\": \"buffer\", \"size\": 4000",
            "\"kind\": \"image\", \"type\": 4337, \"order\": 4277, \"channel_type\": 4314, \
          \"texel\": 1, \"width\": 40, \"height\": 100, \"depth\": 0, \"array_size\": 0, \"row_pitch\": 0",
        ),
        (
            "\"kind\": \"buffer\", \"size\": 4000",
            "\"kind\": \"variable\", \"name\": \"x; }\", \"has_pointers\": false, \"size\": 4000",
        ),
    ] {
        assert!(manifest.contains(from), "{from}: {manifest}");
        fs::write(folder.join("all/manifest.json"), manifest.replacen(from, to, 1)).expect("written");
        let said = grus(&folder, &["replay", "all"]);
        assert!(
            matches!(said.status, Some(1 | 2)) && !said.err.contains("panicked"),
            "{to}: {:?} {}",
            said.status,
            said.err
        );
    }
}
