// options: -cl-std=CL1.2
// restrict only on pointers
kernel void k(global int*restrict a){ a[0]=1; }
