// Signs of zeros, and arguments that were once wrong.
// run: floats args: int[12] = 1 ...
// expect: 0 = 0x80000000 0 0x00000001 0x80000001 0x7f800000 0xff7fffff 0x80000000 0 0x80000000 1 0 0
kernel void floats(global int *out)
{
    // From the smallest number to zero, and the other way.
    out[0] = as_int(nextafter(-0x1p-149f, 0.0f));
    out[1] = as_int(nextafter(0x1p-149f, -1.0f));
    out[2] = as_int(nextafter(-0.0f, 1.0f));
    out[3] = as_int(nextafter(0.0f, -1.0f));
    out[4] = as_int(nextafter(FLT_MAX, INFINITY));
    out[5] = as_int(nextafter(-INFINITY, 0.0f));
    out[6] = as_int(nextafter(0.0f, -0.0f));
    out[7] = as_int(cospi(-0.5f));
    out[8] = as_int(pow(-0x1p-149f, 127.0f));
    out[9] = isinf(tanpi(0.5f));
    out[10] = as_int(acospi(1.0f));
    out[11] = signbit(asinpi(0x1p-149f));
}

// run: doubles args: long[8] = 1 ...
// expect: 0 = 0x8000000000000000 0 0x8000000000000000 0x8000000000000000 0x8000000000000000 0 0x8000000000000000 0
kernel void doubles(global long *out)
{
    out[0] = as_long(nextafter(-0x1p-1074, 0.0));
    out[1] = as_long(nextafter(0x1p-1074, -1.0));
    // Results that vanish.
    out[2] = as_long(asinpi(-0x1p-1074));
    out[3] = as_long(atanpi(-0x1p-1074));
    out[4] = as_long(atan2pi(-0x1p-1074, 0.75));
    out[5] = as_long(atan2pi(0x1p-1074, 0.75));
    out[6] = as_long(tanpi(-0.0));
    out[7] = as_long(acospi(1.0));
}

// How far a result is from the right one.
ulong far(double x, ulong bits) { return abs((long)(as_ulong(x) - bits)); }

// Powers whose logarithm has parts that do not overlap little: no more than two ulps off.
// run: powers args: int[4] = 0 ...
// expect: 0 = 1 1 1 1
kernel void powers(global int *out)
{
    out[0] = far(pow(0x1.68d8e08c510b8p-1, -0x1.f7e375a4adee8p+10), 0x7f8492b8e96bbdaeUL) <= 2;
    out[1] = far(powr(0x1.68d8e08c510b8p-1, -0x1.f7e375a4adee8p+10), 0x7f8492b8e96bbdaeUL) <= 2;
    out[2] = far(pown(-0x1.72bfc3e1b7eb0p+0, 1150), 0x6655c4e3a73f3762UL) <= 2;
    out[3] = far(rootn(0x1.132f8a62c3430p+29, 2), 0x40d775c24babed0dUL) <= 2;
}
