// options: -cl-std=CL2.0
// One function with an unqualified pointer parameter serves callers holding local and global pointers.
void bump(int *a) { *a = *a + 2; }
kernel void k1(local int *a) { bump(a); }
kernel void k2(global int *a) { bump(a); }
