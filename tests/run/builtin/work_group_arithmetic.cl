// Products, bits and votes of work-groups (cl_khr_work_group_uniform_arithmetic), also of a smaller last group.
// options: -cl-std=CL2.0
// run: ints global=8 local=3 args: int[8] = 3 -7 12 5 -2 6 9 -4; int[96] = 0 ...; uint[96] = 0 ...
// expect: 1 = -252 3 1 0 3 -1 -1 3 0 -10 3 0 -252 -21 3 0 1 3 -1 -5 3 -10 -6 3 -252 -252 -21 0 0 1 -1 -1 -5 -10 -10 -6 -60 5 1 4 5 -1 -1 5 0 -3 5 0 -60 -10 5 4 4 5 -1 -1 5 -3 -5 5 -60 -60 -10 4 4 4 -1 -1 -1 -3 -3 -5 -36 9 1 8 9 -1 -3 9 0 -11 9 0 -36 -36 9 8 8 9 -3 -3 9 -11 -11 9
// expect: 2 = 4294967044 3 1 0 3 4294967295 4294967295 3 0 4294967286 3 0 4294967044 4294967275 3 0 1 3 4294967295 4294967291 3 4294967286 4294967290 3 4294967044 4294967044 4294967275 0 0 1 4294967295 4294967295 4294967291 4294967286 4294967286 4294967290 4294967236 5 1 4 5 4294967295 4294967295 5 0 4294967293 5 0 4294967236 4294967286 5 4 4 5 4294967295 4294967295 5 4294967293 4294967291 5 4294967236 4294967236 4294967286 4 4 4 4294967295 4294967295 4294967295 4294967293 4294967293 4294967291 4294967260 9 1 8 9 4294967295 4294967293 9 0 4294967285 9 0 4294967260 4294967260 9 8 8 9 4294967293 4294967293 9 4294967285 4294967285 9
// run: longs global=8 local=3 args: int[8] = 3 -7 12 5 -2 6 9 -4; long[96] = 0 ...; ulong[96] = 0 ...
// expect: 1 = -252 3 1 0 3 -1 -1 3 0 -10 3 0 -252 -21 3 0 1 3 -1 -5 3 -10 -6 3 -252 -252 -21 0 0 1 -1 -1 -5 -10 -10 -6 -60 5 1 4 5 -1 -1 5 0 -3 5 0 -60 -10 5 4 4 5 -1 -1 5 -3 -5 5 -60 -60 -10 4 4 4 -1 -1 -1 -3 -3 -5 -36 9 1 8 9 -1 -3 9 0 -11 9 0 -36 -36 9 8 8 9 -3 -3 9 -11 -11 9
// expect: 2 = 18446744073709551364 3 1 0 3 18446744073709551615 18446744073709551615 3 0 18446744073709551606 3 0 18446744073709551364 18446744073709551595 3 0 1 3 18446744073709551615 18446744073709551611 3 18446744073709551606 18446744073709551610 3 18446744073709551364 18446744073709551364 18446744073709551595 0 0 1 18446744073709551615 18446744073709551615 18446744073709551611 18446744073709551606 18446744073709551606 18446744073709551610 18446744073709551556 5 1 4 5 18446744073709551615 18446744073709551615 5 0 18446744073709551613 5 0 18446744073709551556 18446744073709551606 5 4 4 5 18446744073709551615 18446744073709551615 5 18446744073709551613 18446744073709551611 5 18446744073709551556 18446744073709551556 18446744073709551606 4 4 4 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551613 18446744073709551613 18446744073709551611 18446744073709551580 9 1 8 9 18446744073709551615 18446744073709551613 9 0 18446744073709551605 9 0 18446744073709551580 18446744073709551580 9 8 8 9 18446744073709551613 18446744073709551613 9 18446744073709551605 18446744073709551605 9
// run: floats global=8 local=3 args: float[8] = 1.5 -2 4 0.5 8 -0.25 3 2; float[24] = 0 ...; double[24] = 0 ...; half[24] = 0 ...
// expect: 1 = -12 1.5 1 -12 -3 1.5 -12 -12 -3 -1 0.5 1 -1 4 0.5 -1 -1 4 6 3 1 6 6 3
// expect: 2 = -12 1.5 1 -12 -3 1.5 -12 -12 -3 -1 0.5 1 -1 4 0.5 -1 -1 4 6 3 1 6 6 3
// expect: 3 = -12 1.5 1 -12 -3 1.5 -12 -12 -3 -1 0.5 1 -1 4 0.5 -1 -1 4 6 3 1 6 6 3
// run: votes global=8 local=3 args: int[8] = 3 0 -1 5 7 256 0 0; int[72] = 0 ...
// expect: 1 = 0 1 1 1 1 0 0 1 0 0 0 1 1 1 1 0 1 1 0 0 0 1 1 1 0 0 1 1 1 1 1 1 0 1 1 0 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: loop global=8 local=4 args: int[8] = 0 ...
// expect: 0 = 1024 1024 1024 1024 1024 1024 1024 1024
#pragma OPENCL EXTENSION cl_khr_work_group_uniform_arithmetic : enable
#ifndef cl_khr_work_group_uniform_arithmetic
#error no macro
#endif

kernel void ints(global const int *in, global int *a, global uint *b)
{
    size_t i = get_global_id(0);
    int x0 = (int)in[i];
    a[12 * i + 0] = work_group_reduce_mul(x0);
    a[12 * i + 1] = work_group_scan_inclusive_mul(x0);
    a[12 * i + 2] = work_group_scan_exclusive_mul(x0);
    a[12 * i + 3] = work_group_reduce_and(x0);
    a[12 * i + 4] = work_group_scan_inclusive_and(x0);
    a[12 * i + 5] = work_group_scan_exclusive_and(x0);
    a[12 * i + 6] = work_group_reduce_or(x0);
    a[12 * i + 7] = work_group_scan_inclusive_or(x0);
    a[12 * i + 8] = work_group_scan_exclusive_or(x0);
    a[12 * i + 9] = work_group_reduce_xor(x0);
    a[12 * i + 10] = work_group_scan_inclusive_xor(x0);
    a[12 * i + 11] = work_group_scan_exclusive_xor(x0);
    uint x1 = (uint)in[i];
    b[12 * i + 0] = work_group_reduce_mul(x1);
    b[12 * i + 1] = work_group_scan_inclusive_mul(x1);
    b[12 * i + 2] = work_group_scan_exclusive_mul(x1);
    b[12 * i + 3] = work_group_reduce_and(x1);
    b[12 * i + 4] = work_group_scan_inclusive_and(x1);
    b[12 * i + 5] = work_group_scan_exclusive_and(x1);
    b[12 * i + 6] = work_group_reduce_or(x1);
    b[12 * i + 7] = work_group_scan_inclusive_or(x1);
    b[12 * i + 8] = work_group_scan_exclusive_or(x1);
    b[12 * i + 9] = work_group_reduce_xor(x1);
    b[12 * i + 10] = work_group_scan_inclusive_xor(x1);
    b[12 * i + 11] = work_group_scan_exclusive_xor(x1);
}

kernel void longs(global const int *in, global long *a, global ulong *b)
{
    size_t i = get_global_id(0);
    long x0 = (long)in[i];
    a[12 * i + 0] = work_group_reduce_mul(x0);
    a[12 * i + 1] = work_group_scan_inclusive_mul(x0);
    a[12 * i + 2] = work_group_scan_exclusive_mul(x0);
    a[12 * i + 3] = work_group_reduce_and(x0);
    a[12 * i + 4] = work_group_scan_inclusive_and(x0);
    a[12 * i + 5] = work_group_scan_exclusive_and(x0);
    a[12 * i + 6] = work_group_reduce_or(x0);
    a[12 * i + 7] = work_group_scan_inclusive_or(x0);
    a[12 * i + 8] = work_group_scan_exclusive_or(x0);
    a[12 * i + 9] = work_group_reduce_xor(x0);
    a[12 * i + 10] = work_group_scan_inclusive_xor(x0);
    a[12 * i + 11] = work_group_scan_exclusive_xor(x0);
    ulong x1 = (ulong)in[i];
    b[12 * i + 0] = work_group_reduce_mul(x1);
    b[12 * i + 1] = work_group_scan_inclusive_mul(x1);
    b[12 * i + 2] = work_group_scan_exclusive_mul(x1);
    b[12 * i + 3] = work_group_reduce_and(x1);
    b[12 * i + 4] = work_group_scan_inclusive_and(x1);
    b[12 * i + 5] = work_group_scan_exclusive_and(x1);
    b[12 * i + 6] = work_group_reduce_or(x1);
    b[12 * i + 7] = work_group_scan_inclusive_or(x1);
    b[12 * i + 8] = work_group_scan_exclusive_or(x1);
    b[12 * i + 9] = work_group_reduce_xor(x1);
    b[12 * i + 10] = work_group_scan_inclusive_xor(x1);
    b[12 * i + 11] = work_group_scan_exclusive_xor(x1);
}

kernel void floats(global const float *in, global float *a, global double *b, global half *c)
{
    size_t i = get_global_id(0);
    float x0 = (float)in[i];
    a[3 * i + 0] = work_group_reduce_mul(x0);
    a[3 * i + 1] = work_group_scan_inclusive_mul(x0);
    a[3 * i + 2] = work_group_scan_exclusive_mul(x0);
    double x1 = (double)in[i];
    b[3 * i + 0] = work_group_reduce_mul(x1);
    b[3 * i + 1] = work_group_scan_inclusive_mul(x1);
    b[3 * i + 2] = work_group_scan_exclusive_mul(x1);
    half x2 = (half)in[i];
    c[3 * i + 0] = work_group_reduce_mul(x2);
    c[3 * i + 1] = work_group_scan_inclusive_mul(x2);
    c[3 * i + 2] = work_group_scan_exclusive_mul(x2);
}

kernel void votes(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int x = in[i];
    out[9 * i + 0] = work_group_reduce_logical_and(x) != 0;
    out[9 * i + 1] = work_group_scan_inclusive_logical_and(x) != 0;
    out[9 * i + 2] = work_group_scan_exclusive_logical_and(x) != 0;
    out[9 * i + 3] = work_group_reduce_logical_or(x) != 0;
    out[9 * i + 4] = work_group_scan_inclusive_logical_or(x) != 0;
    out[9 * i + 5] = work_group_scan_exclusive_logical_or(x) != 0;
    out[9 * i + 6] = work_group_reduce_logical_xor(x) != 0;
    out[9 * i + 7] = work_group_scan_inclusive_logical_xor(x) != 0;
    out[9 * i + 8] = work_group_scan_exclusive_logical_xor(x) != 0;
}

kernel void loop(global int *out)
{
    int x = 1;
    for (int i = 0; i < 3; i++)
        x = work_group_reduce_mul(get_local_id(0) < 2 ? 2 * x : 1) / (i == 0 ? 1 : 4);
    out[get_global_id(0)] = work_group_reduce_or(x << 2);
}
