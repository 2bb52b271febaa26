// options: -cl-std=CL2.0
// Packets one by one: what goes in first comes out first; a full pipe takes nothing, an empty one gives nothing.

kernel void put(write_only pipe int p, global int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = write_pipe(p, in + i) < 0 ? -1 : 1;
}

kernel void get(read_only pipe int p, global int *in, global int *out)
{
    int packet = -7;
    size_t i = get_global_id(0);
    out[i] = read_pipe(p, &packet) < 0 ? -1 : packet;
}

kernel void ask(write_only pipe int p, global int *in, global int *out)
{
    out[get_global_id(0)] = get_pipe_num_packets(p) * 100 + get_pipe_max_packets(p);
}

// One work-item at a time: of several it is open which one comes first. Buffers keep what they hold.
// run: put global=1 local=1 offset=0 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 1 0 0 0
// then: put global=1 local=1 offset=1 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 1 1 0 0
// then: put global=1 local=1 offset=2 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 1 1 1 0
// then: put global=1 local=1 offset=3 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 1 1 1 -1
// then: ask global=1 local=1 offset=0 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 303 1 1 -1
// then: get global=1 local=1 offset=0 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 10 1 1 -1
// then: get global=1 local=1 offset=1 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 10 11 1 -1
// then: ask global=1 local=1 offset=2 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 10 11 103 -1
// then: put global=1 local=1 offset=3 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 10 11 103 1
// then: put global=1 local=1 offset=2 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 10 11 1 1
// then: put global=1 local=1 offset=1 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 10 -1 1 1
// then: get global=1 local=1 offset=0 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 12 -1 1 1
// then: get global=1 local=1 offset=1 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 12 13 1 1
// then: get global=1 local=1 offset=2 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 12 13 12 1
// then: get global=1 local=1 offset=3 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 12 13 12 -1
// then: ask global=1 local=1 offset=0 args: pipe 4x3; int[4] = 10 11 12 13; int[4] = 0
// expect: 2 = 3 13 12 -1

kernel void laps(write_only pipe int p, read_only pipe int q, global int *out)
{
    // Both parameters are the same pipe: only here is it known that they are.
    for (int i = 0; i < 40; ++i) {
        int packet = i;
        write_pipe(p, &packet);
        read_pipe(q, out + i % 4);
    }
}

// Structs, vectors, packets in local and generic memory.
typedef struct { char name; double value; int3 place; } record;

kernel void records(write_only pipe record p, read_only pipe uchar3 q, global int *out, local record *room)
{
    room->name = 3;
    room->value = 4.5;
    room->place = (int3)(1, 2, 3);
    record *anywhere = room;
    out[0] = write_pipe(p, anywhere);
    out[1] = write_pipe(p, room);
    out[2] = get_pipe_num_packets(p);
    uchar3 bytes;
    out[3] = read_pipe(q, &bytes) < 0;
}

// run: records global=1 local=1 args: pipe 32x1; pipe 4x4; int[4] = 9 ...; local 64
// expect: 2 = 0 -1 1 1
