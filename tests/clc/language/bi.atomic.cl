// options: -cl-std=CL1.2
// legacy atomics on volatile global/local int and uint
kernel void k(volatile global int*g, volatile local uint*l, global float*f){ atomic_add(g,1); atom_inc(g); atomic_max(l,2u); atomic_cmpxchg(g,1,2); atomic_xchg(f,1.0f); }
