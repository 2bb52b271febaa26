//! Tests that commands on sub-devices run only on the sub-device's processors.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use cl_sys::*;

use crate::check::{Failure, Outcome};
use crate::context::{Ctx, EQUALLY, c_string};
use crate::{equal, holds, make, ok, query, tests};

tests! {
    "test_device_partition":
        sub_devices_are_disjoint, launches_stay_on_their_processors, threads_get_their_processors_back;
}

/// Returns the processors on which a thread may run, according to Linux, or `None` without /proc.
fn allowed(thread: &str) -> Option<Vec<usize>> {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.parse::<usize>().ok()?..=to.parse::<usize>().ok()?)
    };
    Some(list.trim().split(',').filter_map(range).flatten().collect())
}

fn here() -> Outcome<Vec<usize>> {
    allowed("thread-self").ok_or(Failure::Skipped(String::from("no /proc")))
}

/// Creates sub-devices of one compute unit each, and a context for them.
fn sub_devices(cx: &Ctx) -> Outcome<(Vec<cl_device_id>, cl_context)> {
    let units =
        query!(cx.clGetDeviceInfo(cx.device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES)).value::<cl_uint>()?;
    if units < 2 {
        return Err(Failure::Skipped(String::from("one compute unit")));
    }
    let list = [EQUALLY, 1, 0];
    let mut devices = vec![null_mut(); units as usize];
    ok!(cx.clCreateSubDevices(cx.device, list.as_ptr(), units, devices.as_mut_ptr(), null_mut()));
    let context = make!(cx.clCreateContext(null(), units, devices.as_ptr(), None, null_mut()));
    Ok((devices, context))
}

static RECORDED: Mutex<Vec<Vec<usize>>> = Mutex::new(Vec::new());

unsafe extern "C" fn record_processors(_: *mut c_void) {
    RECORDED.lock().expect("nobody panics").push(allowed("thread-self").unwrap_or_default());
}

/// Returns the processors on which a native kernel of this queue may run.
fn processors(cx: &Ctx, queue: cl_command_queue) -> Outcome<Vec<usize>> {
    let (nothing, none) = (null_mut(), null_mut());
    ok!(cx.clEnqueueNativeKernel(
        queue,
        Some(record_processors),
        nothing,
        0,
        0,
        null(),
        none,
        0,
        null(),
        null_mut()
    ));
    ok!(cx.clFinish(queue));
    Ok(RECORDED.lock().expect("nobody panics").pop().unwrap_or_default())
}

fn sub_devices_are_disjoint(cx: &Ctx) -> Outcome {
    let before = here()?;
    let (devices, context) = sub_devices(cx)?;
    let mut taken = Vec::new();
    for &device in &devices {
        let queue = make!(cx.clCreateCommandQueue(context, device, 0));
        let found = processors(cx, queue)?;
        equal!(found.len(), 1);
        holds!(before.contains(&found[0]) && !taken.contains(&found[0]));
        taken.extend(found);
    }
    // The root device is not restricted.
    equal!(processors(cx, cx.queue)?, before);
    Ok(())
}

/// Kernel that runs longer than the test observes it, even if the compiler optimizes it.
const LONG_KERNEL: &str = "kernel void f(global uint *d, uint n) {
    uint x = get_global_id(0);
    for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
    d[get_global_id(0)] = x;
}";

/// Returns the id, the processor time in ticks, and the permitted processors of each thread of this process.
fn threads() -> Vec<(u64, u64, Vec<usize>)> {
    let ids = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| {
        let id = entry.file_name().into_string().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/self/task/{id}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        Some((id.parse().ok()?, fields.get(11)?.parse().ok()?, allowed(&format!("self/task/{id}"))?))
    };
    ids.filter_map(of).collect()
}

/// Checks that each thread that used processor time during a launch may run on the launch's processors only.
fn launches_stay_on_their_processors(cx: &Ctx) -> Outcome {
    here()?;
    let (devices, context) = sub_devices(cx)?;
    let text = c_string(LONG_KERNEL);
    let mut text = text.as_ptr();
    let program = make!(cx.clCreateProgramWithSource(context, 1, &mut text, null()));
    ok!(cx.clBuildProgram(program, 0, null(), null(), None, null_mut()));
    let kernel = make!(cx.clCreateKernel(program, c_string("f").as_ptr()));
    let buffer = make!(cx.clCreateBuffer(context, CL_MEM_READ_WRITE, 4 << 14, null_mut()));
    cx.arg(kernel, 0, buffer)?;
    cx.arg(kernel, 1, 500_000u32)?;
    for &device in &devices {
        let queue = make!(cx.clCreateCommandQueue(context, device, 0));
        let home = processors(cx, queue)?;
        let (global, local) = (1 << 14, 64);
        let mut event = null_mut();
        ok!(cx.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &global, &local, 0, null(), &mut event));
        // Compilation is not part of the launch.
        let before = threads();
        // A thread of the pool runs the launch, or this thread if the pool has not started it before this thread
        // polls.
        ok!(cx.clFlush(queue));
        std::thread::sleep(std::time::Duration::from_millis(200));
        for (id, ticks, may_use) in threads() {
            let earlier = before.iter().find(|t| t.0 == id).map_or(0, |t| t.1);
            if ticks > earlier + 3 {
                equal!(may_use, home.clone());
            }
        }
        ok!(cx.clWaitForEvents(1, &event));
    }
    Ok(())
}

fn threads_get_their_processors_back(cx: &Ctx) -> Outcome {
    let before = here()?;
    let (devices, context) = sub_devices(cx)?;
    for &device in devices.iter().rev() {
        let queue = make!(cx.clCreateCommandQueue(context, device, 0));
        equal!(processors(cx, queue)?.len(), 1);
        equal!(here()?, before.clone());
    }
    Ok(())
}
