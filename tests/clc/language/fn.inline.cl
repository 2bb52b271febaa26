// options: -cl-std=CL1.2
// inline/static helper functions
static inline int h(int x){ return x+1; } kernel void k(global int*g){ g[0]=h(1); }
