// options: -cl-std=CL1.2
// address space in a typedef of pointee
typedef global int *gp; kernel void k(gp a){ a[0]=1; }
