// options: -cl-std=CL2.0
// Reservations: any number at once, committed in any order, read in the order they were made.

kernel void backwards(write_only pipe int p, global int *out)
{
    reserve_id_t first = reserve_write_pipe(p, 2), second = reserve_write_pipe(p, 3);
    int packet;
    for (int i = 2; i >= 0; --i) {
        packet = 20 + i;
        out[0] += write_pipe(p, second, i, &packet);
    }
    commit_write_pipe(p, second);
    for (int i = 0; i < 2; ++i) {
        packet = 10 + i;
        out[0] += write_pipe(p, first, i, &packet);
    }
    out[1] = write_pipe(p, first, 2, &packet) < 0;
    commit_write_pipe(p, first);
    out[2] = is_valid_reserve_id(first) + is_valid_reserve_id(second);
    out[3] = is_valid_reserve_id(reserve_write_pipe(p, 2));
    out[4] = is_valid_reserve_id(reserve_write_pipe(p, 0));
    out[5] = is_valid_reserve_id(reserve_write_pipe(p, 0xffffffff));
    out[6] = is_valid_reserve_id(CLK_NULL_RESERVE_ID);
    out[7] = write_pipe(p, (reserve_id_t)CLK_NULL_RESERVE_ID, 0, &packet) < 0;
    commit_write_pipe(p, (reserve_id_t)CLK_NULL_RESERVE_ID);
}

kernel void forwards(read_only pipe int p, global int *out)
{
    reserve_id_t first = reserve_read_pipe(p, 4);
    out[5] = is_valid_reserve_id(reserve_read_pipe(p, 2));
    for (int i = 0; i < 4; ++i)
        read_pipe(p, first, 3 - i, out + i);
    commit_read_pipe(p, first);
    out[4] = 0;
    read_pipe(p, out + 4);
    out[6] = read_pipe(p, out + 7) < 0;
    out[7] = get_pipe_num_packets(p);
}

// run: backwards global=1 local=1 args: pipe 4x6; int[8] = 0
// expect: 1 = 0 1 2 0 0 0 0 1
// then: forwards global=1 local=1 args: pipe 4x6; int[8] = 0
// expect: 1 = 21 20 11 10 22 0 1 0


// One reservation for a group; each of its items writes a packet, or two.
kernel void group_put(write_only pipe int2 p, global int *out)
{
    size_t i = get_local_linear_id(), n = get_local_size(0) * get_local_size(1);
    reserve_id_t id = work_group_reserve_write_pipe(p, n);
    out[i] = is_valid_reserve_id(id);
    if (is_valid_reserve_id(id)) {
        int2 packet = (int2)(i, get_group_id(0));
        write_pipe(p, id, n - 1 - i, &packet);
        work_group_commit_write_pipe(p, id);
    }
}

kernel void group_get(read_only pipe int2 p, global int *out)
{
    size_t i = get_local_linear_id(), n = get_local_size(0) * get_local_size(1);
    reserve_id_t id = work_group_reserve_read_pipe(p, n);
    out[i] = -1;
    if (is_valid_reserve_id(id)) {
        int2 packet;
        read_pipe(p, id, i, &packet);
        work_group_commit_read_pipe(p, id);
        out[i] = packet.x;
    }
}

// run: group_put global=4,2 local=4,2 args: pipe 8x12; int[8] = 0
// expect: 1 = 1
// then: group_put global=4,2 local=4,2 args: pipe 8x12; int[8] = 0
// expect: 1 = 0
// then: group_get global=4,2 local=4,2 args: pipe 8x12; int[8] = 0
// expect: 1 = 7 6 5 4 3 2 1 0
// then: group_get global=4,2 local=4,2 args: pipe 8x12; int[8] = 0
// expect: 1 = -1
