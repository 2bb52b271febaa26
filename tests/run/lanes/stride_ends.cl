// Counters at the ends of what they can hold: nothing wraps that does not wrap item by item.
// run: of_int global=32 local=16 args: int[132] = 0 ...; int = 2147483448; int = 2147483548
// expect: 0 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: of_uint global=32 local=16 args: int[132] = 0 ...; uint = 2147483598; uint = 2147483698
// expect: 0 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: of_uint global=32 local=16 args: int[132] = 0 ...; uint = 4294967096; uint = 4294967226
// expect: 0 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0
// run: of_int global=32 local=16 args: int[132] = 0 ...; int = -50; int = 50
// expect: 0 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: of_ulong global=32 local=16 args: int[132] = 0 ...; ulong = 200; ulong = 70
// expect: 0 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0
// run: wraps global=32 local=16 args: int[132] = 0 ...
// expect: 0 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: may_wrap global=32 local=16 args: int[132] = 0 ...; uint = 4294967236
// expect: 0 = 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: again global=16 local=16 args: int[40] = 0 ...; uint = 4294967256; int = 4
// expect: 0 = 39 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 0
// The counter wraps after the first turn of all, and the loop goes on.
kernel void again(global int *z, uint base, int turns) {
    int turn = 0;
    for (uint i = base + get_global_id(0); i < 0xffffffff; i += 32) {
        if (turn++ >= turns)
            break;
        if (i < base)
            atomic_inc(&z[0]);
        else
            atomic_inc(&z[i - base]);
    }
}
kernel void of_int(global int *z, int base, int n) {
    for (int i = base + (int)get_global_id(0); i < n; i += get_global_size(0))
        z[i - base] += 1;
}
kernel void of_uint(global int *z, uint base, uint n) {
    for (uint i = base + get_global_id(0); i < n; i += get_global_size(0))
        z[i - base] += 1;
}
kernel void of_ulong(global int *z, ulong from, ulong to) {
    ulong base = 0 - from, n = 0 - to;
    for (ulong i = base + get_global_id(0); i < n; i += get_global_size(0))
        z[i - base] += 1;
}
// The start wraps between two items of the second group, and what is left of the loop ends it.
kernel void wraps(global int *z) {
    uint base = 0u - 60u;
    for (uint i = base + get_global_id(0); i < 0xffffffff; i += get_global_size(0)) {
        if (i < base)
            return;
        z[i - base] += 1;
    }
}
// The next turn's number wraps and is below the bound again.
kernel void may_wrap(global int *z, uint base) {
    int turn = 0;
    for (uint i = base + get_global_id(0); i < 0xffffffff; i += 64) {
        atomic_add(&z[turn * 8 + get_global_id(0) % 8], 1);
        if (++turn == 8)
            break;
    }
}
