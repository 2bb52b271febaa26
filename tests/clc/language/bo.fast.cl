// options: -cl-fast-relaxed-math
// defines its macro
#ifndef __FAST_RELAXED_MATH__
#error
#endif
kernel void k(global float*g){ g[0]=g[1]*2; }
