// options: -cl-unsafe-math-optimizations
// only that option defines its macro
#ifndef __FAST_RELAXED_MATH__
#error none // error: none
#endif
kernel void k(global float*g){ g[0]=g[1]*2; }
