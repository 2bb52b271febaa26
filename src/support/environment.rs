//! Environment variables that users can set. All of them are read once, here; `docs/environment.md` lists them.
//!
//! An invalid value is reported on standard error in one line and then ignored.

use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicBool, Ordering};

use super::bug::PanicSite;
use super::fork::Global;
use super::target::{Allocator, Backend, Overrides};

/// Sizes of local memory that users can ask for, in bytes. Source of the minimum: API s4.2 table 5
/// (CL_DEVICE_LOCAL_MEM_SIZE of the full profile). The maximum is arbitrary.
const LOCAL_MEMORY: std::ops::RangeInclusive<u64> = 32 << 10..=1 << 30;

/// Alignment of arguments in local memory in bytes: the size of the largest type, `long16`.
const LOCAL_ALIGNMENT: u64 = 128;

/// Values of the variables.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Maximum number of threads that run a kernel.
    pub max_compute_units: Option<usize>,
    /// Value of CL_DEVICE_LOCAL_MEM_SIZE.
    pub local_mem_size: Option<u64>,
    /// Value of CL_PLATFORM_NAME.
    pub platform_name: Option<String>,
    /// Value of CL_DEVICE_NAME.
    pub device_name: Option<String>,
    /// Value of CL_PLATFORM_VENDOR and CL_DEVICE_VENDOR.
    pub vendor: Option<String>,
    /// Pass after which IR is printed, or `all`. `passes` knows the valid names.
    pub print_after: Option<String>,
    /// True if the IR handed to Cranelift is printed.
    pub print_clif: bool,
    /// True if faults in kernels are left to the application's debugger.
    pub keep_faults: bool,
    /// Number of lanes, in all kernels except those that use sub-groups.
    pub lanes: Option<u16>,
    /// Sizes of sub-groups in work-items, for kernels that require no size themselves.
    pub sub_group_sizes: SubGroupSizes,
    /// True if a launch without work-items does nothing, as from OpenCL 2.1 on, instead of being an error.
    pub empty_launches: bool,
    /// Code generator to use if the processor runs its code.
    pub backend: Option<Backend>,
    /// True if newly allocated buffers and images are filled with zeros.
    pub clear_memory: bool,
    /// True if the durations of builds and launches are printed.
    pub timing: bool,
    /// Folder of the file in which calls, commands and builds are recorded with their times.
    pub trace: Option<String>,
    /// Launch to capture.
    pub capture: Option<Capture>,
    /// Folder of the file that tells profilers the addresses of generated code.
    pub jit_dump: Option<String>,
    /// Settings for tests, in debug builds.
    pub test: TestSettings,
}

/// Selection of a launch to capture, and the folder of its file.
#[derive(Debug, PartialEq, Eq)]
pub struct Capture {
    /// Folder of the file that holds everything the launch needs.
    pub folder: String,
    /// Name of the kernel whose launches are counted; none counts the launches of all kernels.
    pub kernel: Option<String>,
    /// Number of the launch, from 1; with 0 launches are only counted.
    pub launch: u64,
}

impl Capture {
    /// Parses `FOLDER`, `FOLDER:KERNEL` or `FOLDER:KERNEL:NUMBER` from the right. If the last field is a number,
    /// the field before it is the kernel, which may be empty. If the last field is neither a number nor a valid
    /// name, it belongs to the folder.
    fn parse(text: &str) -> Option<Capture> {
        let whole = || (text, "", 1);
        let (folder, kernel, launch) = match text.rsplit_once(':') {
            Some((before, last)) if is_name(last) => (before, last, 1),
            Some((before, last)) => match (before.rsplit_once(':'), last.parse()) {
                (Some((folder, kernel)), Ok(launch)) if kernel.is_empty() || is_name(kernel) => {
                    (folder, kernel, launch)
                }
                _ => whole(),
            },
            None => whole(),
        };
        let kernel = (!kernel.is_empty()).then(|| kernel.to_owned());
        (!folder.trim().is_empty()).then(|| Capture { folder: folder.to_owned(), kernel, launch })
    }
}

/// Checks whether a kernel may have this name.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.starts_with(|c: char| is_part(c) && !c.is_numeric()) && text.chars().all(is_part)
}

/// Settings for tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TestSettings {
    /// Number of instructions per chunk; functions of more than two chunks are cut (`passes::split`).
    pub chunk: Option<usize>,
    pub overrides: Overrides,
    /// Location at which to panic.
    pub panic_in: Option<PanicSite>,
}

impl TestSettings {
    /// Returns a description of the valid values for error messages.
    fn valid_values() -> String {
        let sites = PanicSite::NAMES.map(|(name, _)| name).join("|");
        let allocators = Allocator::NAMES.map(|(name, _)| name).join("|");
        format!("a list of chunk=N, withhold=N, allocator={allocators}, gathers=fast|slow, panic={sites}")
    }

    /// Parses a list such as `chunk=40,panic=queue`.
    fn parse(text: &str) -> Option<TestSettings> {
        let mut settings = TestSettings::default();
        let units = |value: &str| value.parse().ok().filter(|&units: &usize| units > 0);
        for part in text.split(',') {
            let (name, value) = part.trim().split_once('=')?;
            let overrides = &mut settings.overrides;
            match name {
                "chunk" => settings.chunk = Some(units(value)?),
                "withhold" => overrides.withheld = units(value)?,
                "allocator" => overrides.allocator = Some(named(&Allocator::NAMES, value)?),
                "gathers" => overrides.slow_gathers = Some(named(&[("fast", false), ("slow", true)], value)?),
                "panic" => settings.panic_in = Some(named(&PanicSite::NAMES, value)?),
                _ => return None,
            }
        }
        Some(settings)
    }
}

/// Returns the value that has this name in the table.
fn named<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|&(_, named)| named)
}

/// Sizes of sub-groups: a default for all kernels, and sizes of individual kernels.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SubGroupSizes {
    of_all: Option<u16>,
    of_named: Vec<(String, u16)>,
}

impl SubGroupSizes {
    /// Parses `32`, `kernel=16`, or a comma-separated list of these.
    fn parse(text: &str) -> Option<SubGroupSizes> {
        let mut sizes = SubGroupSizes::default();
        for part in text.split(',') {
            match part.split_once('=') {
                None => sizes.of_all = Some(lanes(part)?),
                Some((name, size)) => sizes.of_named.push((name.trim().to_owned(), lanes(size)?)),
            }
        }
        Some(sizes)
    }

    /// Returns the sub-group size of the kernel with this name, if the user has set one.
    pub fn of(&self, kernel: &str) -> Option<u16> {
        let named = self.of_named.iter().find(|(name, _)| name == kernel);
        named.map(|&(_, size)| size).or(self.of_all)
    }
}

/// Parses a number of lanes: a power of two up to 64.
fn lanes(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|&n: &u16| n.is_power_of_two() && n <= 64)
}

/// Returns the environment as it was at the first call.
pub fn environment() -> &'static Environment {
    static ENVIRONMENT: Global<Environment> = Global::fact();
    ENVIRONMENT.get(|| {
        static ARE_WARNINGS_PRINTED: AtomicBool = AtomicBool::new(false);
        let mut reader = Reader { variable: |name: &str| std::env::var_os(name), warnings: Vec::new() };
        let environment = reader.read();
        if !ARE_WARNINGS_PRINTED.swap(true, Ordering::Relaxed) {
            reader.warnings.iter().for_each(|warning| eprintln!("grus: {warning}"));
        }
        environment
    })
}

/// Reports that the value of a variable is invalid.
pub fn warn_invalid(name: &str, expected: &str, value: &str) {
    eprintln!("grus: {}", warning(name, expected, value.as_ref()));
}

fn warning(name: &str, expected: &str, value: &OsStr) -> String {
    format!("{name} must be {expected}; {value:?} is ignored")
}

struct Reader<V> {
    variable: V,
    warnings: Vec<String>,
}

impl<V: Fn(&str) -> Option<OsString>> Reader<V> {
    fn read(&mut self) -> Environment {
        Environment {
            max_compute_units: self.units("GRUS_MAX_COMPUTE_UNITS"),
            local_mem_size: self.local_memory("GRUS_LOCAL_MEM_SIZE"),
            platform_name: self.name("GRUS_PLATFORM_NAME"),
            device_name: self.name("GRUS_DEVICE_NAME"),
            vendor: self.name("GRUS_VENDOR"),
            print_after: self.name("GRUS_PRINT_AFTER"),
            print_clif: self.switch("GRUS_PRINT_CLIF", false),
            keep_faults: !self.switch("GRUS_CATCH_FAULTS", true),
            lanes: self.lanes("GRUS_LANES"),
            sub_group_sizes: self.sub_group_sizes("GRUS_SUB_GROUP_SIZE"),
            empty_launches: self.switch("GRUS_EMPTY_LAUNCHES", false),
            backend: self.backend("GRUS_BACKEND"),
            clear_memory: self.switch("GRUS_CLEAR_MEMORY", false),
            timing: self.switch("GRUS_TIMING", false),
            trace: self.name("GRUS_TRACE"),
            capture: self.get(
                "GRUS_CAPTURE",
                "FOLDER, FOLDER:KERNEL or FOLDER:KERNEL:NUMBER",
                Capture::parse,
            ),
            jit_dump: self.name("GRUS_JITDUMP"),
            test: self.test("GRUS_TEST"),
        }
    }

    /// Returns the value of a variable if it is valid. Reports an invalid value, but not a missing one.
    fn get<T>(&mut self, name: &str, expected: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let value = (self.variable)(name)?;
        let parsed = value.to_str().and_then(parse);
        if parsed.is_none() {
            self.warnings.push(warning(name, expected, &value));
        }
        parsed
    }

    fn units(&mut self, name: &str) -> Option<usize> {
        self.get(name, "a number above 0", |value| value.trim().parse().ok().filter(|&units| units > 0))
    }

    /// Parses a size of local memory: not less than a full profile requires, and not more than a machine can
    /// reasonably give to each thread.
    fn local_memory(&mut self, name: &str) -> Option<u64> {
        let parse = |value: &str| {
            let value = value.trim();
            let (number, unit) = match value.as_bytes().last()? {
                b'K' => (&value[..value.len() - 1], 1 << 10),
                b'M' => (&value[..value.len() - 1], 1 << 20),
                _ => (value, 1),
            };
            let bytes = number.parse::<u64>().ok()?.checked_mul(unit)?;
            LOCAL_MEMORY.contains(&bytes).then_some(bytes - bytes % LOCAL_ALIGNMENT)
        };
        self.get(name, "bytes from 32K to 1024M", parse)
    }

    fn lanes(&mut self, name: &str) -> Option<u16> {
        self.get(name, "1, 2, 4, 8, 16, 32 or 64", lanes)
    }

    fn sub_group_sizes(&mut self, name: &str) -> SubGroupSizes {
        let expected = "1, 2, 4, 8, 16, 32 or 64, or a list of these and of KERNEL=SIZE";
        self.get(name, expected, SubGroupSizes::parse).unwrap_or_default()
    }

    fn backend(&mut self, name: &str) -> Option<Backend> {
        self.get(name, "cranelift, avx2, avx512 or avx512-base", |value| named(&Backend::NAMES, value))
    }

    fn name(&mut self, name: &str) -> Option<String> {
        self.get(name, "text", |value| (!value.trim().is_empty()).then(|| value.to_owned()))
    }

    /// Parses the settings for tests. Release builds ignore the variable.
    fn test(&mut self, name: &str) -> TestSettings {
        let read = cfg!(debug_assertions)
            .then(|| self.get(name, &TestSettings::valid_values(), TestSettings::parse));
        read.flatten().unwrap_or_default()
    }

    fn switch(&mut self, name: &str, default: bool) -> bool {
        let parse = |value: &str| match value {
            "1" => Some(true),
            "0" => Some(false),
            "" => Some(default),
            _ => None,
        };
        self.get(name, "0 or 1", parse).unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(set: &[(&str, &str)]) -> (Environment, usize) {
        let variable =
            |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value));
        let mut reader = Reader { variable, warnings: Vec::new() };
        let environment = reader.read();
        (environment, reader.warnings.len())
    }

    #[test]
    fn nothing_is_set() {
        assert_eq!(read(&[]), (Environment::default(), 0));
    }

    /// Release builds ignore them.
    #[cfg(debug_assertions)]
    #[test]
    fn everything_is_set() {
        let set = [
            ("GRUS_MAX_COMPUTE_UNITS", "3"),
            ("GRUS_LOCAL_MEM_SIZE", "65537"),
            ("GRUS_PLATFORM_NAME", "A platform"),
            ("GRUS_DEVICE_NAME", "A device"),
            ("GRUS_VENDOR", "A vendor"),
            ("GRUS_PRINT_AFTER", "workgroup"),
            ("GRUS_PRINT_CLIF", "1"),
            ("GRUS_CATCH_FAULTS", "0"),
            ("GRUS_CLEAR_MEMORY", "1"),
            ("GRUS_LANES", "4"),
            ("GRUS_SUB_GROUP_SIZE", "32,half_as_many=16"),
            ("GRUS_EMPTY_LAUNCHES", "1"),
            ("GRUS_BACKEND", "avx2"),
            ("GRUS_TIMING", "1"),
            ("GRUS_TRACE", "a/folder"),
            ("GRUS_CAPTURE", "a/folder:blur:7"),
            ("GRUS_JITDUMP", "/tmp"),
            ("GRUS_TEST", "chunk=40,withhold=9,allocator=regalloc2,gathers=slow,panic=queue"),
        ];
        // Every new variable has to be added to this list.
        let asked = std::cell::RefCell::new(Vec::new());
        let variable = |name: &str| {
            asked.borrow_mut().push(name.to_owned());
            None
        };
        Reader { variable, warnings: Vec::new() }.read();
        let mut names = set.map(|(name, _)| name.to_owned());
        names.sort();
        asked.borrow_mut().sort();
        assert_eq!(*asked.borrow(), names);
        let (environment, warnings) = read(&set);
        assert_eq!(warnings, 0);
        assert_eq!(environment.max_compute_units, Some(3));
        assert_eq!(environment.local_mem_size, Some(65536));
        assert_eq!(environment.platform_name.as_deref(), Some("A platform"));
        assert_eq!(environment.device_name.as_deref(), Some("A device"));
        assert_eq!(environment.vendor.as_deref(), Some("A vendor"));
        assert_eq!(environment.print_after.as_deref(), Some("workgroup"));
        assert_eq!(environment.trace.as_deref(), Some("a/folder"));
        let blur = Capture { folder: "a/folder".into(), kernel: Some("blur".into()), launch: 7 };
        assert_eq!(environment.capture, Some(blur));
        assert_eq!(environment.jit_dump.as_deref(), Some("/tmp"));
        assert_eq!(environment.lanes, Some(4));
        let size = |kernel| environment.sub_group_sizes.of(kernel);
        assert_eq!((size("any"), size("half_as_many")), (Some(32), Some(16)));
        assert!(environment.empty_launches);
        assert_eq!(environment.backend, Some(Backend::Avx2));
        let overrides =
            Overrides { withheld: 9, allocator: Some(Allocator::Regalloc2), slow_gathers: Some(true) };
        let test = TestSettings { chunk: Some(40), overrides, panic_in: Some(PanicSite::Queue) };
        assert_eq!(environment.test, test);
        assert!(environment.print_clif && environment.timing && environment.keep_faults);
        assert!(environment.clear_memory);
    }

    #[test]
    fn sizes_of_local_memory_have_units() {
        for (value, bytes) in
            [("32768", 32 << 10), ("32K", 32 << 10), (" 48K ", 48 << 10), ("1024M", 1 << 30)]
        {
            assert_eq!(read(&[("GRUS_LOCAL_MEM_SIZE", value)]).0.local_mem_size, Some(bytes));
        }
    }

    #[test]
    fn launches_are_read_from_the_right() {
        for (value, folder, kernel, launch) in [
            ("a/folder", "a/folder", None, 1),
            ("/a:blur", "/a", Some("blur"), 1),
            ("/a:blur:0", "/a", Some("blur"), 0),
            ("/a::3", "/a", None, 3),
            ("/a:b:blur:3", "/a:b", Some("blur"), 3),
            ("/a:b::1", "/a:b", None, 1),
            // A last field that is neither a name nor a number belongs to the folder.
            ("/a:3", "/a:3", None, 1),
            ("/a:b/c", "/a:b/c", None, 1),
            ("/a:b:", "/a:b:", None, 1),
            ("/a:blur:-1", "/a:blur:-1", None, 1),
            ("a b:_k$\u{e9}1:2", "a b", Some("_k$\u{e9}1"), 2),
        ] {
            let expected = Capture { folder: folder.into(), kernel: kernel.map(str::to_owned), launch };
            assert_eq!(read(&[("GRUS_CAPTURE", value)]).0.capture, Some(expected), "{value}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_told_and_ignored() {
        let bad = [
            ("GRUS_MAX_COMPUTE_UNITS", ["0", "-1", "many", ""]),
            ("GRUS_LOCAL_MEM_SIZE", ["31K", "1025M", "64k", "M"]),
            ("GRUS_LOCAL_MEM_SIZE", ["", "-1", "32767", "99999999999999M"]),
            ("GRUS_PLATFORM_NAME", ["", " ", "", ""]),
            ("GRUS_PRINT_AFTER", ["", " ", "", ""]),
            ("GRUS_TRACE", ["", " ", "", ""]),
            ("GRUS_CAPTURE", ["", " ", ":kernel", "::1"]),
            ("GRUS_PRINT_CLIF", ["yes", "2", "on", "-"]),
            ("GRUS_CATCH_FAULTS", ["yes", "2", "off", "-"]),
            ("GRUS_TIMING", ["yes", "2", "on", "-"]),
            ("GRUS_TEST", ["", "40", "chunk", "chunk=0"]),
            ("GRUS_TEST", ["withhold=-1", "panic=QUEUE", "allocator=", "gathers=1"]),
            ("GRUS_TEST", ["chunk=40,", "chunk=40;panic=queue", "lanes=4", "panic=queue,chunk=many"]),
            ("GRUS_BACKEND", ["", "1", "llvm", "AVX2"]),
            ("GRUS_SUB_GROUP_SIZE", ["", "12", "8,128", "k=0"]),
            ("GRUS_EMPTY_LAUNCHES", ["yes", "2", "on", "-"]),
        ];
        let is_read = |name: &str| cfg!(debug_assertions) || name != "GRUS_TEST";
        for (name, values) in bad.into_iter().filter(|(name, _)| is_read(name)) {
            for value in values {
                assert_eq!(read(&[(name, value)]), (Environment::default(), 1), "{name}={value}");
            }
        }
        assert_eq!(read(&[("GRUS_TIMING", "0"), ("GRUS_PRINT_CLIF", "")]), (Environment::default(), 0));
    }
}
