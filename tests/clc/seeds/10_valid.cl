// options: -cl-std=CL2.0
// An explicit cast takes a `local` pointer to generic and back; the round trip compares equal and dereferences the same object.
kernel void k(global int *g, local int *l) { int v = 0; int *p = (int *)(l); local int *q = (local int *)p; *q = 5; g[0] = *p; }
