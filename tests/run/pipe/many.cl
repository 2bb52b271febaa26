// options: -cl-std=CL2.0
// Packets of many work-items, of which it is open who comes first: how many go in, and that all come out.
// Buffers keep what they hold.
// run: put global=64 local=32 args: pipe 4x48; int[2] = 0
// expect: 1 = 48 16
// then: get global=32 local=32 args: pipe 4x48; int[2] = 0
// expect: 1 = 80 16
// then: put global=64 local=32 args: pipe 4x48; int[2] = 0
// expect: 1 = 112 48
// then: get global=64 local=32 args: pipe 4x48; int[2] = 0
// expect: 1 = 160 64
kernel void put(write_only pipe int p, global int *counts)
{
    int packet = get_global_id(0);
    atomic_inc(counts + (write_pipe(p, &packet) < 0));
}

kernel void get(read_only pipe int p, global int *counts)
{
    int packet;
    atomic_inc(counts + (read_pipe(p, &packet) < 0));
}

// run: put global=64 local=32 args: pipe 4x64; int[2] = 0
// expect: 1 = 64 0
// then: add global=64 local=32 args: pipe 4x64; int[2] = 0
// expect: 1 = 2080 0
kernel void add(read_only pipe int p, global int *sum)
{
    int packet;
    if (read_pipe(p, &packet) == 0)
        atomic_add(sum, packet);
}
