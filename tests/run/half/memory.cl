// Halves as arguments, in structs, arrays, local, constant and program-scope memory.
// options: -cl-std=CL2.0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { char c; half h; half3 v; half a[3]; } S;
constant half table[4] = {1, 2.5h, -0.25f, 65504};
constant half4 shuffled = (half4)(1, 2, 3, 4).wzyx;
half kept = 1.5h;

half twice(half x) { return x + x; }
half8 widen(half2 x) { return (half8)(x, x, x, x); }

// run: k global=4 local=2 args: half = 0.5; half4 = 1 2 3 4; half[4] = 10 20 30 40; local 4; half[28] = 0 ...
// expect: 4 = 21 1 0 0 11.5 3 0 0 41 1.75 0 0 31 65508 1.5 2 8 3 9 4 10 0x3c00 16 8 2 12 24
kernel void k(half h, half4 v, global const half *in, local half *swap, global half *out) {
    size_t i = get_global_id(0), l = get_local_id(0);
    swap[l] = in[i] + (half)1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * i] = swap[1 - l];
    half own[4] = {h, 1, 2, 3};
    own[1] += h;
    half byindex[4];
    for (int n = 0; n < 4; n++)
        byindex[n] = v[n] + table[n];
    out[4 * i + 1] = i == 0 ? own[0] * 2 : i == 1 ? own[1] * twice(1) : byindex[i] - (i == 2 ? 1 : 0);
    if (i == 1) out[4] += h;
    if (i == 3) {
        S s;
        s.c = 7;
        s.h = kept;
        s.v = v.xyz;
        s.a[2] = shuffled.x;
        S t = s;
        out[14] = t.h;
        out[15] = t.a[2] - t.v.y;
        global S *last = 0;
        out[16] = (half)((size_t)&last->v);
        out[17] = t.v.z;
        half8 wide = widen(v.xy);
        wide.s7 += (half)7;
        out[18] = wide.s7;
        out[19] = v.w;
        out[20] = wide.s0 + wide.s7;
        out[21] = as_half(as_short(1.0h));
        out[22] = sizeof(S) == 24 ? 16 : sizeof(S);
        out[23] = sizeof(half3);
        out[24] = vec_step(half2);
        half2 *p = (half2 *)own;
        out[25] = (*p).y * 8;
        *p = (half2)(3, 8);
        out[26] = own[0] * own[1];
    }
}
