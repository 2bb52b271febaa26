// options: -cl-std=CL2.0
// ?: operands must be in overlapping spaces; result generic
kernel void k(global int*g, local int*l, int x){ int*p=g; p = x ? p : l; *p=1; }
