// Async copies (s6.13.10) where control and group sizes vary: double buffering in a loop, strides, in
// functions, in the arms of a uniform branch, in groups of three dimensions, ragged ones and of one item.
// options: -cl-std=CL2.0
// run: pipeline global=4 local=4 args: int[20] = iota; int[20] = 0 ...; int = 5
// expect: 1 = 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22
// run: pipeline global=1 local=1 args: int[4] = 1 2 3 4; int[4] = 0 ...; int = 1
// expect: 1 = 4 5 6 7
// run: ragged global=7 local=3 args: float[7] = 1 2 3 4 5 6 7; float[7] = 0 ...
// expect: 1 = 3 2 1 6 5 4 7
// run: columns global=2,2,2 local=2,2,1 args: short[12] = iota; short[24] = 0 ...
// expect: 1 = 1 0 0 4 0 0 7 0 0 10 0 0 2 0 0 5 0 0 8 0 0 11 0 0
// run: either global=4 local=2 args: long[4] = 10 20 30 40; long[4] = 0 ...
// expect: 1 = 10 20 40 30
// run: threes global=2 local=2 args: int[8] = iota; int[8] = 0 ...
// expect: 1 = 4 5 6 7 0 1 2 3
// run: none global=2 local=2 args: int[2] = 7 8
// expect: 0 = 7 8

// While one tile is worked on, the next one comes and the last one goes.
kernel void pipeline(global const int *in, global int *out, int tiles)
{
    local int tile[2][4];
    event_t come[2], go[2];
    int id = get_local_id(0);
    come[0] = async_work_group_copy(tile[0], in, 4, 0);
    for (int i = 0; i < tiles; i++) {
        int now = i & 1;
        if (i + 1 < tiles)
            come[!now] = async_work_group_copy(tile[!now], in + 4 * (i + 1), 4, 0);
        wait_group_events(1, &come[now]);
        for (int k = id; k < 4; k += get_local_size(0))
            tile[now][k] += 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        go[now] = async_work_group_copy(out + 4 * i, tile[now], 4, 0);
        wait_group_events(1, &go[now]);
    }
}

event_t fetch(local float *to, global const float *from)
{
    return async_work_group_copy(to, from, get_local_size(0), 0);
}

kernel void ragged(global const float *in, global float *out)
{
    local float near[3];
    size_t first = get_group_id(0) * get_enqueued_local_size(0);
    event_t e = fetch(near, in + first);
    wait_group_events(1, &e);
    out[get_global_id(0)] = near[get_local_size(0) - 1 - get_local_id(0)];
}

kernel void columns(global const short *in, global short *out)
{
    local short column[4];
    size_t z = get_group_id(2);
    event_t e = async_work_group_strided_copy(column, in + 1 + z, 4, 3, 0);
    wait_group_events(1, &e);
    e = async_work_group_strided_copy(out + 12 * z, column, 4, 3, 0);
    wait_group_events(1, &e);
}

kernel void either(global const long *in, global long *out)
{
    local long pair[2];
    event_t e;
    size_t first = 2 * get_group_id(0);
    if (get_group_id(0) == 0)
        e = async_work_group_copy(pair, in + first, 2, 0);
    else
        e = async_work_group_strided_copy(pair, in + first + 1, 2, (size_t)-1, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = pair[get_local_id(0)];
}

kernel void threes(global const int3 *in, global int3 *out)
{
    local int3 pair[2];
    event_t e = async_work_group_copy(pair, in, 2, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(out, pair + 1, 1, 0);
    e = async_work_group_copy(out + 1, pair, 1, e);
    wait_group_events(1, &e);
}

kernel void none(global int *p)
{
    local int nothing[1];
    event_t e = async_work_group_copy(nothing, p, 0, 0);
    wait_group_events(1, &e);
}
