// options: -cl-std=CL2.0
// reserve_id_t local variable
kernel void k(write_only pipe int p){ reserve_id_t r = reserve_write_pipe(p,1); if(is_valid_reserve_id(r)) commit_write_pipe(p,r); }
