// Elements two, three and four apart, of which some or all are accessed: colors, complex numbers, every second number.
// run: seconds global=37 local=37 args: float[74] = iota; float[74] = 0 ... ; float[37] = 0 ...
// run: thirds global=35 local=35 args: uchar[105] = iota; uchar[105] = 0 ... ; uchar[35] = 0 ...
// run: fourths global=33 local=33 args: short[132] = iota; short[132] = 0 ... ; int[132] = 0 ...
// run: crossed global=21 local=21 args: int[63] = iota; int[63] = 0 ... ; int = 0
// run: aliased global=20 local=20 args: int[61] = iota; int[60] = 0 ...
// run: inside global=34 local=17 args: int[68] = iota; int[68] = 0 ... ; int = 5
kernel void seconds(global const float *in, global float *out, global float *sum) {
    int i = get_global_id(0);
    float re = in[2 * i], im = in[2 * i + 1];
    out[2 * i] = re * re - im * im;
    out[2 * i + 1] = 2 * re * im;
    sum[i] = in[72 - 2 * i] + in[i * 2 | 1];
}
kernel void thirds(global const uchar *in, global uchar *out, global uchar *grey) {
    size_t i = get_global_id(0);
    uchar r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    grey[i] = (uchar)((r * 77 + g * 151 + b * 28) >> 8);
    out[3 * i] = b;
    out[3 * i + 2] = r;
    out[3 * i + 1] = g;
}
kernel void fourths(global const short *restrict in, global short *restrict out, global int *restrict more) {
    uint i = get_global_id(0);
    out[4 * i + 3] = in[4 * i] + 1;
    out[4 * i + 1] = in[4 * i + 3] + 2;
    out[4 * i + 2] = in[4 * i + 2] * 3;
    out[4 * i] = in[4 * i + 1] - 4;
    for (int j = 0; j < 4; ++j)
        more[4 * i + j] = in[4 * i + (j ^ 2)] * (j + 1);
}
kernel void crossed(global const int *in, global int *out, int n) {
    int i = get_global_id(0), sum = 0;
    for (int j = 0; j < 2 + n; ++j) {
        int a = in[3 * i + 2 - j], b = in[3 * i + 1];
        out[3 * i] = a;
        sum += b + in[3 * i];
        out[3 * i] += 5;
        out[3 * i + 1] = sum;
        out[3 * i + 2] = b - in[3 * i + 2];
    }
    if (i % 3 == 1) {
        out[3 * i] = in[3 * i + 1];
        out[3 * i + 1] = in[3 * i + 2];
        out[3 * i + 2] = in[3 * i];
    }
}
// What is stored is loaded again.
kernel void aliased(global int *a, global int *out) {
    int i = get_global_id(0);
    int first = a[3 * i];
    a[3 * i + 1] = first * 2;
    int second = a[3 * i + 1];
    a[3 * i] = second + 1;
    a[3 * i + 2] = a[3 * i] + first;
    out[3 * i] = second;
    out[3 * i + 1] = a[3 * i + 2];
    out[3 * i + 1] += 1;
    out[3 * i + 2] = a[3 * i];
}
struct pair { int a; int b; };
kernel void inside(global const struct pair *in, global struct pair *out, int n) {
    local struct pair t[17];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = in[i];
    struct pair own[3];
    for (int j = 0; j < 3; ++j)
        own[j].a = own[j].b = j + l;
    own[n % 3].a = t[l].b;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i].a = t[16 - l].a + own[2].b + own[n % 3].a;
    out[i].b = t[16 - l].b + own[(n + l) % 3].b;
}
