// Work-group functions (s6.13.15) in every place where control may be: in loops whose earlier results
// are still in use, in the arms of a uniform branch, in functions called twice, next to barriers and
// copies, in groups of three dimensions with ragged edges.
// options: -cl-std=CL2.0
// run: fibonacci global=3 local=3 args: int[3] = 0 ...; int = 6
// expect: 0 = 13 26 39
// run: fibonacci global=1 local=1 args: int[1] = 0 ...; int = 0
// expect: 0 = 1
// run: arms global=5 local=3 args: int[5] = 0 ...; int = 1
// expect: 0 = 103 103 103 201 201
// run: arms global=5 local=3 args: int[5] = 0 ...; int = 0
// expect: 0 = 0 1 3 3 7
// run: twice global=4 local=4 args: long[4] = 0 ...
// expect: 0 = 1006 2006 3006 4006
// run: kept global=4 local=4 args: int[4] = 0 ...; float[4] = 0 ...
// expect: 0 = 611 612 614 617
// expect: 1 = 2.5 3 3.5 4
// run: solid global=3,3,3 local=2,2,2 args: int[27] = 0 ...; int[27] = 0 ...
// expect: 0 = 8 8 4 8 8 4 4 4 2 8 8 4 8 8 4 4 4 2 4 4 2 4 4 2 2 2 1
// expect: 1 = 0 1 0 2 3 1 0 1 0 4 5 2 6 7 3 2 3 1 0 1 0 2 3 1 0 1 0
// run: search global=8 local=8 args: uint[8] = 5 9 2 14 3 11 7 8; uint[8] = 0 ...
// expect: 1 = 2 3 5 7 8 9 11 14
// run: all_returned global=6 local=3 args: int[6] = 0 ...
// expect: 0 = 0 0 0 3 3 3
// run: empty_sum global=2 local=2 args: double[2] = -0.0 -0.0; double[6] = 0 ...
// expect: 1 = 0 0 0 0 0 0

// The result of the round before and that of two rounds before are alive while the next is made.
kernel void fibonacci(global int *out, int rounds)
{
    int id = get_local_id(0);
    int older = 0, old = 1;
    for (int i = 0; i < rounds; i++) {
        int next = work_group_reduce_max(id == 0 ? older + old : 0);
        older = old;
        old = next;
    }
    out[id] = old * (id + 1);
}

kernel void arms(global int *out, int which)
{
    int id = get_local_id(0), x;
    if (which)
        x = work_group_broadcast((int)get_global_id(0), 0) == 0 ? work_group_reduce_add(1) + 100 : work_group_any(1) + 200;
    else
        x = work_group_scan_inclusive_add((int)get_global_id(0));
    out[get_global_id(0)] = x;
}

long total(long x) { return work_group_reduce_add(x); }

kernel void twice(global long *out)
{
    long id = get_local_id(0);
    long first = total(id);
    out[id] = first + total((id + 1) * 1000) - 10000 + 1000 * (id + 1);
}

// Results of both kinds live across barriers, a copy and other results.
kernel void kept(global int *out, global float *f)
{
    local float from[4];
    int id = get_local_id(0);
    int before = work_group_scan_exclusive_add(id + 1);
    int all = work_group_reduce_add(id);
    from[id] = 2.0f + 0.5f * id;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(f, from, 4, 0);
    int hundred = work_group_broadcast(id * 50, 2);
    wait_group_events(1, &e);
    float sum = work_group_reduce_add(f[id]);
    out[id] = hundred * all + before + (int)sum;
    f[id] += 0.5f * work_group_all(id < 4);
}

kernel void solid(global int *sizes, global int *ranks)
{
    size_t at = get_global_linear_id();
    sizes[at] = work_group_reduce_add(1);
    ranks[at] = work_group_scan_exclusive_add(1);
}

// Sorts by ranks: a loop of broadcasts, with a divergent branch around the use.
kernel void search(global const uint *in, global uint *out)
{
    uint mine = in[get_local_id(0)], rank = 0;
    for (size_t i = 0; i < get_local_size(0); i++) {
        uint other = work_group_broadcast(mine, i);
        if (other < mine)
            rank++;
    }
    out[rank] = mine;
}

kernel void all_returned(global int *out)
{
    if (get_group_id(0) == 0)
        return;
    out[get_global_id(0)] = work_group_reduce_add(1);
}

kernel void empty_sum(global const double *in, global double *out)
{
    int id = get_local_id(0);
    out[3 * id] = work_group_scan_exclusive_add(in[id]);
    out[3 * id + 1] = work_group_reduce_add(in[id]) + 0.0;
    out[3 * id + 2] = work_group_scan_inclusive_add(in[id]) + 0.0;
}
