// Float and double arithmetic, conversions, comparisons with NaN.
// run: k args: float[2] = 0.1 0; int[10] = 0 ...
// expect: 1 = 1036831949 1069128089 -1 0 1 1 0 2 -3 2147483647
kernel void k(global const float *in, global int *out) {
    float f = in[0], zero = in[1];
    out[0] = as_int(f);
    double d = 0.1 * 2;
    out[1] = (int)(as_long((double)f) >> 32);
    float nan = zero / zero;
    out[2] = (int)(zero - 1.7f);
    out[3] = nan == nan;
    out[4] = nan != nan;
    out[5] = !(nan < 1.0f);
    out[6] = 1.0f / zero < 0.0f;
    out[7] = (int)(d * 10.0 + 1e-9);
    out[8] = convert_int_rtn(-2.5f);
    out[9] = convert_int_sat(1e20f);
}
