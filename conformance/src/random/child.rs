//! Child process that runs a range of programs on one device.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::ptr::{null, null_mut};

use cl_sys::*;
use grus_smith::{Options, Version, launch};

use super::{VARIANTS, options_of_seed};
use crate::api::Api;
use crate::check::{Failure, Outcome, text};
use crate::context::{Ctx, Target};
use crate::ok;

/// Constant of cl.h 3.0.
const CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: cl_uint = 0x1065;

/// Returns all devices with their platforms.
fn devices(api: &Api) -> Vec<(cl_platform_id, cl_device_id)> {
    let mut all = Vec::new();
    for platform in api.platforms() {
        let mut found = [null_mut(); 16];
        let mut count = 0;
        let code = api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, found.as_mut_ptr(), &mut count);
        if code == CL_SUCCESS {
            all.extend(found.iter().take(count as usize).map(|&device| (platform, device)));
        }
    }
    all
}

/// Prints the names of all devices, one on each line.
pub fn list(target: &Target) -> ExitCode {
    let names = || -> Outcome {
        let api = Api::open(&target.library, target.vendor).map_err(Failure::Failed)?;
        for (platform, device) in devices(&api) {
            let vendor =
                text(|room, to, size| api.clGetPlatformInfo(platform, CL_PLATFORM_NAME, room, to, size))?;
            let name = text(|room, to, size| api.clGetDeviceInfo(device, CL_DEVICE_NAME, room, to, size))?;
            println!("device {vendor} ({name})");
        }
        Ok(())
    };
    match names() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all programs from one seed to the last. `what` is `DEVICE,SEED,VARIANT,LAST,DISPUTED`.
pub fn run(target: &Target, what: &str) -> ExitCode {
    let numbers: Vec<u64> = what.split(',').filter_map(|n| n.parse().ok()).collect();
    let [device, first, variant, last, disputed] = numbers[..] else {
        return crate::usage("--random-child DEVICE,SEED,VARIANT,LAST,DISPUTED");
    };
    let cx = match open(target, device as usize) {
        Ok(cx) => cx,
        Err(error) => {
            println!("failed {}", one_line(&error));
            return ExitCode::FAILURE;
        }
    };
    for seed in first..=last {
        let options = options_of_seed(seed, disputed != 0);
        let text = grus_smith::program(options);
        let from = if seed == first { variant as usize } else { 0 };
        for option in &VARIANTS[from..] {
            let answer = match program(&cx, &text, &options, option) {
                Ok(words) => format!("words {}", words.join(" ")),
                Err(Failure::Skipped(_)) => "skipped".into(),
                Err(error) => format!("failed {}", one_line(&error)),
            };
            println!("{answer}");
            let _ = std::io::stdout().flush();
        }
    }
    ExitCode::SUCCESS
}

fn one_line(error: &Failure) -> String {
    let (Failure::Skipped(text) | Failure::Failed(text)) = error;
    text.lines().take(4).collect::<Vec<_>>().join(" | ").chars().take(400).collect()
}

fn open(target: &Target, index: usize) -> Outcome<Ctx> {
    let api = Api::open(Path::new(&target.library), target.vendor).map_err(Failure::Failed)?;
    let found = devices(&api).get(index).copied();
    let (platform, device) = found.ok_or(Failure::Failed("no such device".into()))?;
    Ctx::of_device(api, platform, device)
}

/// Checks whether the device supports non-uniform work-groups: devices of 3.0 answer a query, all devices of 2.x
/// do.
fn takes_ragged(cx: &Ctx) -> Outcome<bool> {
    let version = text(|room, to, size| cx.clGetDeviceInfo(cx.device, CL_DEVICE_VERSION, room, to, size))?;
    if !version.starts_with("OpenCL 3") {
        return Ok(!version.starts_with("OpenCL 1"));
    }
    let (mut has, room): (cl_bool, _) = (0, size_of::<cl_bool>());
    let to = (&raw mut has).cast();
    ok!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, room, to, null_mut()));
    Ok(has != 0)
}

/// Returns the output of all launches of a program.
fn program(cx: &Ctx, source: &str, options: &Options, option: &str) -> Outcome<Vec<String>> {
    let version = options.version;
    if version == Version::V20 {
        let has =
            text(|room, to, size| cx.clGetDeviceInfo(cx.device, CL_DEVICE_OPENCL_C_VERSION, room, to, size))?;
        if has.starts_with("OpenCL C 1.") {
            return Err(Failure::Skipped(has));
        }
    }
    if !options.sizes.is_uniform() && !takes_ragged(cx)? {
        return Err(Failure::Skipped("smaller groups at the ends".into()));
    }
    let sizes = options.sizes;
    let kernel = cx.kernel_with(source, &format!("-w {} {option}", version.option()), launch::KERNEL)?;
    let input = cx.buffer(&sizes.input())?;
    let mut words = Vec::new();
    for n in [1i32, 6] {
        let output = cx.buffer(&sizes.output())?;
        cx.arg(kernel, 0, input)?;
        cx.arg(kernel, 1, output)?;
        ok!(cx.clSetKernelArg(kernel, 2, sizes.scratch(), null()));
        cx.arg(kernel, 3, n)?;
        let event = cx.launch_over(
            kernel,
            &sizes.global[..sizes.dimensions],
            Some(&sizes.local[..sizes.dimensions]),
        )?;
        let result: Vec<u64> = cx.contents(output, sizes.output().len())?;
        words.extend(result.iter().map(|word| format!("{word:x}")));
        ok!(cx.clReleaseEvent(event));
        ok!(cx.clReleaseMemObject(output));
    }
    ok!(cx.clReleaseMemObject(input));
    ok!(cx.clReleaseKernel(kernel));
    Ok(words)
}
