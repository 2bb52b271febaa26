// options: -cl-std=CL2.0
// comparison operands must be in overlapping spaces
kernel void k(global int*g, local int*l){ g[0]=(l==g); } // error: invalid operands to '==': 'local int *' and 'global int *': the address spaces do not overlap
