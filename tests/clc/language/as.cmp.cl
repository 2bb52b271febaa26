// options: -cl-std=CL2.0
// comparison operands must be in overlapping spaces
kernel void k(global int*g, local int*l){ int*p=g; g[0]=(p==l)+(p>=g); }
