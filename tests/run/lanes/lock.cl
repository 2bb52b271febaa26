// Items of a group that wait for a lock which another one holds: one by one they get it, so they do not run side by side.
// run: k global=37 local=37 args: int[2] = 0 0
// expect: 0 = 0 37
// run: k global=64 local=16 args: int[2] = 0 0
// expect: 0 = 0 64
kernel void k(volatile global int *cells) {
    while (atomic_cmpxchg(&cells[0], 0, 1) != 0)
        ;
    cells[1] += 1;
    atomic_xchg(&cells[0], 0);
}
