// A conversion in a direction keeps the sign of what becomes zero (s6.2.3.3).
// run: k global=4 local=4 args: double[4] = -1e-300 1e-300 -1e-46 -0.0; uint[12] = 0 ...
// expect: 1 = 0x80000000 0 0x80000000 0x80000000 0x80000000 1 0x80000000 0x80000000 0x80000001 0 0x80000001 0x80000000
kernel void k(global const double *in, global uint *out)
{
    int i = get_global_id(0);
    out[i] = as_uint(convert_float_rtz(in[i]));
    out[4 + i] = as_uint(convert_float_rtp(in[i]));
    out[8 + i] = as_uint(convert_float_rtn(in[i]));
}
