// Small branches whose sides are pure: all of `?:`, `&&`, `||` and `if`, nested, with floats, vectors and divisions.
// run: logic global=8 local=4 args: int[8] = iota; int[8] = 0 ...
// expect: 1 = 0 1 3 3 2 2 0 5
// run: mixed global=4 local=2 args: float[4] = -2 -0.5 0.5 2; float[4] = 0 ...
// expect: 1 = 2 1 1 4
// run: divides global=4 local=4 args: int[4] = 0 1 2 3; int[4] = 0 ...
// expect: 1 = -1 12 6 4
// run: vectors global=2 local=2 args: int4[2] = 1 2 3 4 -1 -2 -3 -4; int4[2] = 0 ...
// expect: 1 = 2 3 4 5 1 2 3 4
// run: pointers global=2 local=2 args: int[2] = 3 4; int[2] = 0 ...
// expect: 1 = 103 4
kernel void logic(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int a = in[i], r = 0;
    bool low = a > 0 && a < 4, odd = a & 1 || a == 2;
    if (low && odd)
        r = a > 1 ? 3 : 1;
    else if (a == 4 || (a == 5 && !low))
        r = 2;
    if (a == 7)
        r += odd ? 5 : 6;
    out[i] = r;
}

kernel void mixed(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float x = in[i], y = x < 0 ? -x : x;
    if (y > 1.0f)
        y = x > 0 ? y * y : y;
    else
        y = y * 2.0f;
    out[i] = y;
}

kernel void divides(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] ? 12 / in[i] : -1;
}

kernel void vectors(global const int4 *in, global int4 *out)
{
    size_t i = get_global_id(0);
    int4 v = in[i];
    if (v.x > 0)
        v = v + 1;
    else
        v = -v;
    out[i] = v;
}

// A choice between addresses, one of which is another kind of memory.
kernel void pointers(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int own[2] = {100, 200};
    int other[2] = {0, 0};
    int *from = i == 0 ? own : other;
    out[i] = in[i] + from[i];
}
