// Items that try again because another was faster do not wait for each other: they run side by side, at one place or several.
// options: -cl-std=CL2.0
// run: sum global=48 local=16 args: float[2] = 0 0; float[48] = 0.5 1 2 4 8 0.25 ... ; uint = 1
// expect: 0 = 26.25 0
// run: sum global=37 local=37 args: float[3] = 0 0 0; float[37] = 1 ... ; uint = 3
// expect: 0 = 13 12 12
// run: most global=40 local=8 args: int[4] = -1 -1 5000 -1
// expect: 0 = 1296 1369 5000 1225
// run: modern global=40 local=20 args: int[3] = 1 1 1
// expect: 0 = 27 27 26
// run: bits global=37 local=37 args: uint[2] = 0 0
// expect: 0 = 0 37
// run: tickets global=20 local=20 args: int[3] = 0 0 0
// expect: 0 = 20 20 20

// A sum of floats as programs write it where there is no such atomic.
kernel void sum(volatile global float *sums, global const float *in, uint count) {
    uint i = get_global_id(0);
    union { uint bits; float value; } before, after;
    do {
        before.value = sums[i % count];
        after.value = before.value + in[i];
    } while (atomic_cmpxchg((volatile global uint *)&sums[i % count], before.bits, after.bits) != before.bits);
}

// Ends early where nothing is to be done; what was found is what is wanted next.
kernel void most(volatile global int *cells) {
    int i = get_global_id(0), mine = i * i % 1500;
    volatile global int *cell = &cells[i % 4];
    int seen = *cell;
    while (mine > seen) {
        int found = atomic_cmpxchg(cell, seen, mine);
        if (found == seen)
            break;
        seen = found;
    }
}

kernel void modern(global atomic_int *cells) {
    int i = get_global_id(0), old = atomic_load(&cells[i % 3]);
    while (!atomic_compare_exchange_strong(&cells[i % 3], &old, old + 2 - 1))
        ;
    if (i % 40 < 38 && i % 3 == 0 && i == 0)
        while (!atomic_compare_exchange_weak(&cells[1], &old, old))
            ;
    for (int k = 0; k < (i == 39 ? 12 : i == 38 ? 12 : i == 37 ? 13 : 0); ++k)
        atomic_fetch_add(&cells[i % 3], 1);
}

// A lock that is a bit of a word: an exchange fails though nobody got on.
kernel void bits(volatile global uint *cells) {
    uint old;
    do
        old = cells[0] & ~1u;
    while (atomic_cmpxchg(&cells[0], old, old | 1) != old);
    cells[1] += 1;
    atomic_and(&cells[0], ~1u);
}

// One after the other, by numbers.
kernel void tickets(volatile global int *cells) {
    int mine = atomic_inc(&cells[0]);
    while (atomic_add(&cells[1], 0) != mine)
        ;
    cells[2] += 1;
    atomic_inc(&cells[1]);
}
