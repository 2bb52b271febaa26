//! Builds of modules from files: rates of reading, the distribution of the builds' times, failures.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use grus_bench::client::{Code, Result, Session};

use crate::{Options, device_of, quantile};

/// Builds each module once, in the order of their paths, and prints the figures.
pub fn run(options: &Options, folder: &Path) -> Result<()> {
    let session = Session::new(device_of(&options.of)?)?;
    let found = modules_below(folder)?;
    let files = spread(&found, options.take);
    let (mut bytes, mut reading, mut builds, mut failures) = (0, 0.0, Vec::new(), Vec::new());
    let mut slowest = (0.0, "");
    for file in &files {
        let name = file.to_str().unwrap_or_default();
        let module = fs::read(file).map_err(|e| format!("{name}: {e}"))?;
        let start = Instant::now();
        let created = session.create(Code::Module(&module));
        reading += start.elapsed().as_secs_f64();
        bytes += module.len();
        let start = Instant::now();
        let built = created.and_then(|program| session.complete(program, ""));
        let time = start.elapsed().as_secs_f64();
        match built {
            Ok(_) => {
                slowest = if time > slowest.0 { (time, name) } else { slowest };
                builds.push(time);
            }
            // The first line has the call and its code, the second begins the log.
            Err(message) => {
                failures.push((name, message.lines().take(2).collect::<Vec<_>>().join(": ")));
            }
        }
    }
    builds.sort_by(f64::total_cmp);
    if !builds.is_empty() {
        let (total, rate) = (builds.iter().sum::<f64>(), |time: f64| bytes as f64 / time / 1e6);
        println!("modules    {} of {}, {:.1} MB", files.len(), found.len(), bytes as f64 / 1e6);
        println!("creation   {:.3} s, {:.0} MB/s", reading, rate(reading));
        println!("builds     {:.3} s, {:.1} MB/s", total, rate(total));
        println!("a build    median {:.2} ms", quantile(&builds, 0.5) * 1e3);
        println!("           99 %   {:.2} ms", quantile(&builds, 0.99) * 1e3);
        println!("           most   {:.2} ms  {}", slowest.0 * 1e3, slowest.1);
    }
    println!("failures   {}", failures.len());
    failures.iter().for_each(|(name, message)| println!("  {name}: {message}"));
    Ok(())
}

/// Returns the files below a folder that end in `.spv`, sorted.
fn modules_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut folders, mut files) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            // Links are not followed, so that no folder is visited twice.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "spv") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns `count` files at equal distances, or all.
fn spread(files: &[PathBuf], count: usize) -> Vec<&PathBuf> {
    let count = count.min(files.len());
    (0..count).map(|at| &files[at * files.len() / count]).collect()
}
