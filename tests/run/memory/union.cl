// Unions, pointer casts, as_ types.
// run: k args: float[1] = 1; int[4] = 0 ...
// expect: 1 = 1065353216 16256 1065353216 -1082130432
typedef union { float f; int i; short s[2]; } pun;
kernel void k(global const float *in, global int *out) {
    pun p;
    p.f = in[0];
    out[0] = p.i;
    out[1] = p.s[1];
    float f = in[0];
    out[2] = *(int *)&f;
    out[3] = as_int(-f);
}
