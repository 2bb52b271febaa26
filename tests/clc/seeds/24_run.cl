// options: -cl-std=CL2.0
// In 2.0 one helper plus one generic pointer variable replaces both (copy to local, double, copy back). Expect: every g[n] doubled, for use = 0 and 1.
void dbl(float *d, int i) { d[i] *= 2; }
kernel void k(global float *g, local float *l, int use) { int n = get_global_id(0), t = get_local_id(0); float *d; int j; if (use) { l[t] = g[n]; d = l; j = t; } else { d = g; j = n; } dbl(d, j); if (use) g[n] = l[t]; }
