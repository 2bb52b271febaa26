// Denormals are kept.
// run: k global=1 local=1 args: float[2] = 0x00800000 0.5; double[2] = 0x0010000000000000 0.5
// expect: 0 = 0x00400000 0x00400001
// expect: 1 = 0x0008000000000000 0x0008000000000001
kernel void k(global float *f, global double *d)
{
    f[0] = f[0] * f[1];
    f[1] = f[0] + 0x1p-149f;
    d[0] = d[0] * d[1];
    d[1] = d[0] + 0x1p-1074;
}
