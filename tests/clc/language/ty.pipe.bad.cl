// options: -cl-std=CL2.0
// pipe T argument with read_only (default) or write_only
kernel void k(read_write pipe int p){} // error: a pipe is 'read_only' or 'write_only'
kernel void l(pipe pipe int p){} // error: 'pipe' is written twice
kernel void m(pipe void p){} // error: cannot be the type of a packet
