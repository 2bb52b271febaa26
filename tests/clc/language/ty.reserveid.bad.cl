// options: -cl-std=CL2.0
// reserve_id_t from reserve_*_pipe; CLK_NULL_RESERVE_ID
kernel void k(reserve_id_t r){} // error: a kernel parameter cannot be 'reserve_id_t'
