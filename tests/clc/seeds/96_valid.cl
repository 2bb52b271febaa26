// options: -cl-std=CL2.0
// `local int *f()` is allowed.
local int *f(local int *p) { return p; }
kernel void k(local int *l) { *f(l) = 1; }
