// options: -cl-std=CL2.0
// A pointer to A may be assigned to a pointer to A or to generic only.
kernel void k(global int *g, local int *l) { l = g; } // error: cannot assign 'global int *' to 'local int *': the address spaces do not convert
