// Vectors as a whole: squares that overflow or vanish, and the special values of normalize.
// run: lengths args: float[8] = 1 ...; double[8] = 1 ...
// expect: 0 = 5e30 5e-42 2.5e38 0 1 0.6 -0.8 0
// expect: 1 = 5e300 5e-310 2.5e300 0 1 0.6 -0.8 0
kernel void lengths(global float *f, global double *d)
{
    f[0] = length((float2)(3e30f, 4e30f));
    f[1] = length((float2)(3e-42f, -4e-42f));
    f[2] = distance((float4)(1e38f, 0, 0, 1), (float4)(-1.5e38f, 0, 0, 1));
    f[3] = length((float3)(0, -0.0f, 0));
    f[4] = length(normalize((float3)(0, 1e38f, 0)));
    f[5] = normalize((float2)(3e-40f, -4e-40f)).x > 0.5999f ? 0.6f : 0;
    f[6] = normalize((float2)(3e30f, -4e30f)).y;
    f[7] = cross((float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8)).w;
    d[0] = length((double2)(3e300, 4e300));
    d[1] = length((double2)(3e-310, -4e-310));
    d[2] = distance((double4)(1e300, 0, 0, 1), (double4)(-1.5e300, 0, 0, 1));
    d[3] = length((double3)(0, -0.0, 0));
    d[4] = length(normalize((double3)(0, 1e308, 0)));
    d[5] = normalize((double2)(3e-320, -4e-320)).x > 0.5999 ? 0.6 : 0;
    d[6] = normalize((double2)(3e300, -4e300)).y;
    d[7] = cross((double4)(1, 2, 3, 4), (double4)(5, 6, 7, 8)).w;
}

// run: special args: int[8] = 9 ...
// expect: 0 = 1 1 1 1 1 1 1 1
kernel void special(global int *out)
{
    // Zero stays, with its signs.
    out[0] = signbit(normalize((float2)(-0.0f, 0)).x);
    out[1] = signbit(normalize((double2)(-0.0, 0)).x) == 1;
    // Infinity points along its axis, and others do not count; but NaN does.
    out[2] = all(isequal(normalize((float2)(-INFINITY, 5)), (float2)(-1, 0)));
    out[3] = all(isequal(normalize((double2)(-INFINITY, 5)), (double2)(-1, 0))) != 0;
    out[4] = all(isnan(normalize((float3)(INFINITY, NAN, 1))));
    out[5] = all(isnan(normalize((double3)(INFINITY, NAN, 1)))) != 0;
    out[6] = all(isnan(normalize((double3)(1, NAN, 1)))) != 0;
    out[7] = isnan(normalize((double)NAN));
}
