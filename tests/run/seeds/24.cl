// Statement 24 of the founding documents: In 2.0 one helper plus one generic pointer variable replaces both (copy to local, double, copy back).
// options: -cl-std=CL2.0
// run: k global=8 local=4 args: float[8] = iota; local 16; int = 1
// expect: 0 = 0 2 4 6 8 10 12 14
// run: k global=8 local=4 args: float[8] = iota; local 16; int = 0
// expect: 0 = 0 2 4 6 8 10 12 14
void dbl(float *d, int i) { d[i] *= 2; }
kernel void k(global float *g, local float *l, int use) { int n = get_global_id(0), t = get_local_id(0); float *d; int j; if (use) { l[t] = g[n]; d = l; j = t; } else { d = g; j = n; } dbl(d, j); if (use) g[n] = l[t]; }
