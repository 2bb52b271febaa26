// options: -cl-std=CL2.0
// ?: operands must be in overlapping spaces; result generic
kernel void k(global int*g, local int*l, int x){ int*p = x ? g : l; *p=1; } // error: the choices of '?:' do not go together: 'global int *' and 'local int *': the address spaces do not overlap
