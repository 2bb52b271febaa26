//! Compilation of the workloads' OpenCL C to SPIR-V by clang, in a folder that goes when it is done.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use grus_bench::client::Result;
use grus_bench::suite::plan::Plan;

/// Options that are the same for all modules. Warnings would hide the first error.
const OPTIONS: [&str; 6] = ["--target=spirv64v1.4", "-x", "cl", "-cl-std=CL2.0", "-w", "-c"];

/// Checks that there is such a program.
pub fn check(clang: &str) -> Result<()> {
    Command::new(clang).arg("--version").output().map(|_| ()).map_err(|e| format!("{clang}: {e}"))
}

/// Folder for sources and modules, which is removed with its contents in the end.
pub struct Folder(PathBuf);

impl Folder {
    /// Creates the folder.
    pub fn new() -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("grus-bench-spirv-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Folder(path))
    }

    /// Compiles a plan's source at this level (`-O0`), and returns the module; the error is clang's first.
    pub fn compile(&self, clang: &str, plan: &Plan, level: &str) -> Result<Vec<u8>> {
        let (source, module) = (self.0.join("source.cl"), self.0.join("module.spv"));
        fs::write(&source, &*plan.source).map_err(|e| e.to_string())?;
        let own = plan.options.split_whitespace().filter(|option| !option.starts_with("-cl-std"));
        let output = Command::new(clang)
            .args(OPTIONS)
            .arg(level)
            .args(own)
            .arg("-o")
            .args([&module, &source])
            .output()
            .map_err(|e| format!("{clang}: {e}"))?;
        if !output.status.success() {
            return Err(first_error(&String::from_utf8_lossy(&output.stderr), &source));
        }
        fs::read(&module).map_err(|e| e.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // An error is ignored: the system empties its temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the first line that names an error, without the path of the source.
fn first_error(text: &str, source: &Path) -> String {
    let line = text.lines().find(|line| line.contains("error")).or(text.lines().next());
    let path = format!("{}:", source.display());
    line.unwrap_or("clang failed without a message").trim_start_matches(&path).to_owned()
}
