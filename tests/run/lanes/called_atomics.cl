// Functions that look at what other items have done are called side by side where nobody waits in them or for them.
// run: count global=37 local=37 args: int[17] = 0; int[37] = iota
// expect: 0 = 95 101 107 113 119 88 55 59 64 67 71 76 79 83 88 91 19
// expect: 1 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: locked global=24 local=24 args: int[3] = 0; int = 3
// expect: 0 = 0 192 16
// run: tried global=24 local=24 args: int[3] = 0; int = 4
// expect: 0 = 0 300 24
// run: inside global=24 local=24 args: int[3] = 0; int = 4
// expect: 0 = 0 396 24

#define APART __attribute__((noinline))

APART void add(volatile global int *bins, int i, int by) {
    for (int t = 0; t < i % 3 + 1; ++t)
        atomic_add(&bins[(i + t) % 16], by);
}

APART int ticket(volatile global int *counter, int by) {
    if (by % 2)
        return atomic_inc(counter);
    return atomic_add(counter, 0);
}

kernel void count(global int *bins, global int *data) {
    int i = get_global_id(0);
    add(bins, data[i], i);
    if (i % 3 == 1)
        add(bins, i + 1, 1);
    data[i] = ticket(&bins[16], i + 1) >= 0;
}

APART void lock(volatile global int *at) {
    while (atomic_cmpxchg(at, 0, 1) != 0)
        ;
}

APART void unlock(volatile global int *at) {
    atomic_xchg(at, 0);
}

APART bool try_lock(volatile global int *at) {
    return atomic_cmpxchg(at, 0, 1) == 0;
}

APART void change(volatile global int *all, int by) {
    all[1] += by;
    all[2] += 1;
}

kernel void locked(volatile global int *all, int n) {
    int i = get_global_id(0);
    if (i % n == 0)
        return;
    lock(all);
    change(all, i);
    unlock(all);
}

kernel void tried(volatile global int *all, int n) {
    for (;;)
        if (try_lock(all)) {
            change(all, get_global_id(0) + n - 3);
            unlock(all);
            break;
        }
}

// Who waits is itself a function that stays a call.
APART void with_lock(volatile global int *all, int by) {
    bool done = false;
    while (!done) {
        if (try_lock(all)) {
            change(all, by);
            done = true;
            unlock(all);
        }
    }
}

kernel void inside(volatile global int *all, int n) {
    with_lock(all, get_global_id(0) + 1 + n);
}
