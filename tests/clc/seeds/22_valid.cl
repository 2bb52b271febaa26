// options: -cl-std=CL1.2
// In 1.x the same helper needs one definition per space (two differently named functions).
void dbl_g(global float *d, int i) { d[i] *= 2; }
void dbl_l(local float *d, int i) { d[i] *= 2; }
kernel void k(global float *g, local float *l, int use) { int n = get_global_id(0), t = get_local_id(0); if (use) { l[t] = g[n]; dbl_l(l, t); g[n] = l[t]; } else dbl_g(g, n); }
