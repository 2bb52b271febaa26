// options: -cl-std=CL2.0
// access and packet type must match
kernel void k(write_only pipe int p, pipe float4 q, pipe struct { int a; float b; } s){
    int v=1; write_pipe(p,&v); float4 f; read_pipe(q,&f);
    reserve_id_t r = reserve_read_pipe(q, 2);
    if (is_valid_reserve_id(r)) { read_pipe(q, r, 0, &f); read_pipe(q, r, 1, &f); commit_read_pipe(q, r); }
    uint n = get_pipe_num_packets(p) + get_pipe_max_packets(q) + get_pipe_num_packets(s);
    reserve_id_t w = work_group_reserve_write_pipe(p, n);
    work_group_commit_write_pipe(p, w);
}
