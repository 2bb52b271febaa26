//! Tests of compilation tiers: launches run code of several tiers by turns, and compute the same.

use std::sync::Arc;
use std::time::{Duration, Instant};

use grus_core::compile::{self, LaunchFacts, Source};
use grus_core::exec::{self, Launch, NdRange};

/// Number of work-items.
const COUNT: usize = 40_000;

/// Launches a kernel, which adds to the sums what it computes of the numbers, until its trial has ended, and compares the
/// sums with what the interpretation of each launch in Rust gives.
fn check(text: &str, local: u64, expected: impl Fn(u32) -> u32) {
    let source = Source { name: "tiers.cl".into(), text: text.into() };
    let built = compile::build(&source, &[], "-cl-std=CL2.0");
    let artifact: Arc<_> = built.result.unwrap_or_else(|e| panic!("{e:?}: {}", built.log));
    let numbers: Vec<u32> = (0..COUNT as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect();
    let mut sums = vec![0u32; COUNT];
    let mut block = [0; 16];
    block[..8].copy_from_slice(&(numbers.as_ptr().expose_provenance() as u64).to_ne_bytes());
    block[8..].copy_from_slice(&(sums.as_mut_ptr().expose_provenance() as u64).to_ne_bytes());
    let range = NdRange { work_dim: 1, offset: [0; 3], global: [COUNT as u64, 1, 1], local: [local, 1, 1] };
    let facts = LaunchFacts {
        range: &range,
        range_facts: artifact.specialization_profile(0).range_facts(&range),
        images: Default::default(),
        unit_strides: 0,
        no_alias: false,
        private_updates: false,
    };
    let kernel = artifact.select(0, facts).expect("it compiles").code.kernel;
    let trial = kernel.trial().expect("other code may be faster");
    let launch = Launch::new(&kernel, range, (&block[..]).into(), []);
    let begin = Instant::now();
    let mut launches = 0u32;
    while !trial.has_ended() {
        assert!(begin.elapsed() < Duration::from_secs(120), "nobody compiles other tiers");
        assert_eq!(exec::run(&kernel, &launch, None), Ok(()));
        launches += 1;
    }
    assert_eq!(exec::run(&kernel, &launch, None), Ok(()));
    launches += 1;
    let wanted: Vec<u32> = numbers.iter().map(|&number| expected(number).wrapping_mul(launches)).collect();
    // The kernels wrote through the pointer; the vector is not borrowed meanwhile.
    assert!(std::hint::black_box(&sums) == &wanted, "{launches} launches");
}

fn collatz(number: u32) -> u32 {
    let (mut number, mut steps) = (number % 100_000 + 1, 0);
    while number != 1 {
        number = if number % 2 == 0 { number / 2 } else { number * 3 + 1 };
        steps += 1;
    }
    steps
}

const COLLATZ: &str = "uint steps(uint number)
    {
        number = number % 100000 + 1;
        uint steps = 0;
        for (; number != 1; steps++)
            number = number % 2 == 0 ? number / 2 : number * 3 + 1;
        return steps;
    }";

#[test]
fn parts_of_a_launch_run_each_work_item_once() {
    let text = "kernel void k(global const uint *numbers, global uint *sums)
        {
            size_t i = get_global_id(0);
            sums[i] += steps(numbers[i]);
        }";
    check(&format!("{COLLATZ}\n{text}"), 64, collatz);
}

#[test]
fn parts_of_a_launch_keep_their_groups() {
    // 625 groups of 64, of which each reverses its numbers in local memory.
    let text = "kernel void k(global const uint *numbers, global uint *sums)
        {
            local uint turned[64];
            size_t first = get_group_id(0) * 64, l = get_local_id(0);
            turned[63 - l] = steps(numbers[first + l]);
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[get_global_id(0)] += turned[63 - l];
        }";
    check(&format!("{COLLATZ}\n{text}"), 64, collatz);
}
