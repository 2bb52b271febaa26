//! Litmus tests: two work-groups on two threads, and the orders of memory accesses that they must not observe. No
//! work-item waits for the other one without a limit, and the result does not depend on whether the two overlap: a
//! correct implementation passes even if they never do. An incorrect one fails if a forbidden order is seen once in
//! many repetitions. On a busy machine the two get several attempts to overlap.

use std::sync::{Arc, Barrier};

use grus_core::compile::{self, Artifact, Source};
use grus_core::exec::{self, Launch, NdRange};

/// Kernels of the tests. Accesses to a flag (`WRITE`, `READ`) and to cells (`STORE`, `LOAD`) are macros that are
/// defined in front of this text.
const KERNELS: &str = "
// Message passing: what was written before the flag is there for who sees the flag.
kernel void send(global int *data, volatile global FLAG *flag, int count) {
    for (int i = 0; i < count; i++) {
        data[i] = i + 1;
        WRITE(flag, i + 1);
    }
}
kernel void receive(global int *data, volatile global FLAG *flag, int count, global int *missed) {
    int seen = 0;
    for (int turn = 0; turn < (1 << 24) && seen < count; turn++) {
        int now;
        READ(now, flag);
        missed[1] += seen < now;
        for (; seen < now; seen++)
            missed[0] += data[seen] != seen + 1;
    }
}
// Store buffering: each stores to its own and loads the other's. One of the two must see the other.
kernel void cross(volatile global FLAG *mine, volatile global FLAG *other, int count, global int *found,
                  volatile global FLAG *my_turn, volatile global FLAG *its_turn) {
    for (int i = 0; i < count; i++) {
        // Side by side, if the other one keeps up.
        int at = 0, one;
        WRITE(my_turn, i);
        for (int wait = 0; wait < 200 && at < i; wait++)
            READ(at, its_turn);
        STORE(mine + 16 * i);
        LOAD(one, other + 16 * i);
        found[i] = one + (at < i ? 2 : 0);
    }
}
";

const ORDERED: &str = "
#define FLAG atomic_int
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_##order, memory_scope_device)
#define WRITE(p, i) atomic_store_explicit(p, i, memory_order_release)
#define READ(to, p) to = atomic_load_explicit(p, memory_order_acquire)
#define STORE(p) atomic_store(p, 1)
#define LOAD(to, p) to = atomic_load(p)
";
const PLAIN: &str = "
#define FLAG int
#define WRITE(p, i) write_mem_fence(CLK_GLOBAL_MEM_FENCE); *(p) = i
#define READ(to, p) to = *(p); read_mem_fence(CLK_GLOBAL_MEM_FENCE)
#define STORE(p) *(p) = 1; mem_fence(CLK_GLOBAL_MEM_FENCE)
#define LOAD(to, p) to = *(p)
";

/// Returns `ORDERED` with some of its macros redefined.
fn ordered(definitions: &[&str]) -> String {
    let again = definitions.iter().map(|definition| {
        let name = definition.split('(').next().expect("a name");
        format!("#undef {name}\n#define {definition}\n")
    });
    ORDERED.to_owned() + &again.collect::<String>()
}

fn build(definitions: &str) -> Arc<Artifact> {
    let text = format!("{definitions}{KERNELS}");
    let built = compile::build(&Source { name: "litmus.cl".into(), text }, &[], "-cl-std=CL2.0");
    built.result.unwrap_or_else(|_| panic!("{}", built.log))
}

/// Runs two kernels of one work-item each at the same time. Their arguments are addresses, with `count` inserted
/// after the first `number` of them.
fn together(artifact: &Artifact, sides: [(&str, Vec<u64>, usize); 2], count: u32) {
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        for (name, addresses, number) in sides {
            let start = &start;
            scope.spawn(move || {
                let index = artifact.kernels.iter().position(|k| k.name == name).expect("it is there");
                let kernel = artifact.compiled(index).expect("code");
                let mut args: Vec<u8> = addresses[..number].iter().flat_map(|a| a.to_le_bytes()).collect();
                args.extend(u64::from(count).to_le_bytes());
                args.extend(addresses[number..].iter().flat_map(|a| a.to_le_bytes()));
                let range = NdRange { work_dim: 1, offset: [0; 3], global: [1; 3], local: [1; 3] };
                let launch = Launch::new(&kernel, range, (&args[..]).into(), []);
                start.wait();
                exec::run(&kernel, &launch, None).expect("it runs");
            });
        }
    });
}

/// Maximum number of attempts, and number of overlaps after which no further attempt is made.
// Arbitrary.
const ATTEMPTS: usize = 20;
const MEETINGS: usize = 2000;

/// Returns how often the flag was seen but not the data that was written before it.
fn missed(definitions: &str) -> usize {
    const COUNT: usize = 200_000;
    let artifact = build(definitions);
    let (mut meetings, mut wrong) = (0, 0);
    for _ in 0..ATTEMPTS {
        let (mut data, mut flag, mut missed) = (vec![0i32; COUNT], vec![0i32; 16], vec![0i32; 16]);
        let [data_at, flag_at, missed_at] =
            [&mut data, &mut flag, &mut missed].map(|v| v.as_mut_ptr() as u64);
        let send = ("send", vec![data_at, flag_at], 2);
        let receive = ("receive", vec![data_at, flag_at, missed_at], 2);
        together(&artifact, [send, receive], COUNT as u32);
        assert!((1..=COUNT as i32).eq(data) && flag[0] == COUNT as i32, "not all was sent");
        wrong += missed[0] as usize;
        meetings += missed[1] as usize;
        if meetings > MEETINGS {
            break;
        }
    }
    wrong
}

/// Returns how often neither side saw the store of the other.
fn crossed(definitions: &str) -> usize {
    const COUNT: usize = 20_000;
    let artifact = build(definitions);
    let (mut meetings, mut wrong) = (0, 0);
    for _ in 0..ATTEMPTS {
        let mut cells = [vec![0i32; 16 * COUNT], vec![0; 16 * COUNT]];
        let mut found = [vec![-1i32; COUNT], vec![-1; COUNT]];
        let mut turns = [vec![0i32; 32], vec![0; 32]];
        let addresses = |both: &mut [Vec<i32>; 2]| both.each_mut().map(|side| side.as_mut_ptr() as u64);
        let [cells_at, found_at, turns_at] = [&mut cells, &mut found, &mut turns].map(addresses);
        let side = |a: usize, b: usize| {
            ("cross", vec![cells_at[a], cells_at[b], found_at[a], turns_at[a], turns_at[b]], 2)
        };
        together(&artifact, [side(0, 1), side(1, 0)], COUNT as u32);
        assert!(found.iter().flatten().all(|n| (0..4).contains(n)), "not all was looked at");
        // A value below 2 says that the other side had reached the same iteration before the wait ended.
        let both =
            |test: fn(i32) -> bool| (0..COUNT).filter(|&i| test(found[0][i]) && test(found[1][i])).count();
        wrong += both(|n| n % 2 == 0);
        meetings += both(|n| n < 2);
        if meetings > MEETINGS {
            break;
        }
    }
    wrong
}

#[test]
fn who_sees_a_flag_sees_what_was_written_before() {
    let seq_cst = ["WRITE(p, i) atomic_store(p, i)", "READ(to, p) to = atomic_load(p)"];
    let read_modify_write = [
        "WRITE(p, i) atomic_exchange_explicit(p, i, memory_order_release)",
        "READ(to, p) to = atomic_fetch_or_explicit(p, 0, memory_order_acquire)",
    ];
    let fences = [
        "WRITE(p, i) FENCE(release); atomic_store_explicit(p, i, memory_order_relaxed)",
        "READ(to, p) to = atomic_load_explicit(p, memory_order_relaxed); FENCE(acquire)",
    ];
    for definitions in
        [ordered(&[]), ordered(&seq_cst), ordered(&read_modify_write), ordered(&fences), PLAIN.into()]
    {
        assert_eq!(missed(&definitions), 0, "{definitions}");
    }
}

#[test]
fn of_two_that_store_and_then_look_one_sees_the_other() {
    let exchange = ["STORE(p) atomic_exchange(p, 1)"];
    let fences = [
        "STORE(p) atomic_store_explicit(p, 1, memory_order_relaxed); FENCE(seq_cst)",
        "LOAD(to, p) to = atomic_load_explicit(p, memory_order_relaxed)",
    ];
    // An order that is not a constant is treated as the strongest one.
    let varying =
        ["STORE(p) atomic_store_explicit(p, 1, count < 0 ? memory_order_relaxed : memory_order_seq_cst)"];
    for definitions in [ordered(&[]), ordered(&exchange), ordered(&fences), ordered(&varying), PLAIN.into()] {
        assert_eq!(crossed(&definitions), 0, "{definitions}");
    }
}
