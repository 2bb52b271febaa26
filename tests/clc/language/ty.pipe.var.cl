// options: -cl-std=CL2.0
// pipes only as function arguments
void h(read_only pipe int p){} kernel void k(read_only pipe int p){ h(p); }
