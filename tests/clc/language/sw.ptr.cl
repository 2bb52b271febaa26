// options: -cl-std=CL1.2
// -> and . on pointers/arrays of vectors
kernel void k(global float4*g){ float4 a[2]; a[1].x=g->y; g->zw=a[0].xy; (*g).x=1; g[1].s0=2; }
