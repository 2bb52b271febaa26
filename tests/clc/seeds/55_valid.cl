// options: -cl-std=CL2.0
// Each constant pointer kernel argument counts towards CL_DEVICE_MAX_CONSTANT_ARGS (at least 8): eight must work.
kernel void k(constant int *a, constant int *b, constant int *c, constant int *d, constant int *e, constant int *f, constant int *h, constant int *i, global int *g) { g[0] = a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + h[0] + i[0]; }
