// Loops in kernels of a single work-item, whose iterations may be lanes: sums in order, integers in lanes, conditions,
// structures, shifted bits, several counters, bounds that are not reached, and memory that iterations share.
// run: sums global=1 local=1 args: float[37] = iota; float[37] = iota; int = 37; float[4] = 0 ...
// expect: 3 = 16206 16206.5 284 -12
// run: sums global=1 local=1 args: float[37] = iota; float[37] = iota; int = 0; float[4] = 0 ...
// expect: 3 = 0 0.5 -7 -12
// run: order global=1 local=1 args: float[8] = 1e8 1 -1e8 1 1e8 -1e8 3 4; float[2] = 0 ...
// expect: 1 = 7 4
// run: signs global=1 local=1 args: int = 21; float[2] = 1 1
// expect: 1 = -inf -inf
// run: integers global=1 local=1 args: int[21] = iota; uint = 21; int[9] = 0 ...
// expect: 2 = 210 -207 9 2 31 7 20 0 770
// run: down global=1 local=1 args: int[21] = iota; int = 20; int[2] = 0 ...
// expect: 2 = 210 2870
// run: records global=1 local=1 args: int[110] = iota; int = 11; local 220
// expect: 0 = 4 3 12 3 4 9 8 8 8 9 24 13 72 13 14 19 18 18 18 19 44 23 132 23 24 29 28 28 28 29 64 33 192 33 34 39 38 38 38 39 84 43 252 43 44 49 48 48 48 49 104 53 312 53 54 59 58 58 58 59 124 63 372 63 64 69 68 68 68 69 144 73 432 73 74 79 78 78 78 79 164 83 492 83 84 89 88 88 88 89 184 93 552 93 94 99 98 98 98 99 204 103 612 103 104 109 108 108 108 109
// run: bits global=2 local=1 args: uint[2] = 0xdeadbeef 0x13; float[2] = 0 ...
// expect: 1 = 358 5
// run: shared global=1 local=1 args: int[20] = 1 1 0 ...; int = 18
// expect: 0 = 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597 2584 4181 6765
// run: distances global=1 local=1 args: int[24] = iota; int = 8
// expect: 0 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
// run: same global=1 local=1 args: int[3] = 0 ...; int = 19
// expect: 0 = 18 19 0
// run: vectors global=1 local=1 args: float4[9] = iota; int = 9; float4[1] = 0 ...
// expect: 2 = 144 153 162 0
// run: bytes global=1 local=1 args: uchar[40] = iota; int = 40; uint[2] = 0 ...; uchar[40] = 0 ...
// expect: 2 = 780 40
// run: last global=1 local=1 args: int[13] = iota; int = 13; int[2] = 0 ...
// expect: 2 = 12 13
// run: negative global=1 local=1 args: int[32] = iota; int = -9; int = 11; int[1] = 0
// expect: 3 = 310
// run: nested global=3 local=1 args: float[12] = iota; float[12] = iota; float[3] = 0 ...
// expect: 2 = 84 132 180
kernel void sums(global const float *a, global const float *b, int n, global float *out)
{
    float dot = 0, both = 0.5f, few = 0, less = -12;
    for (int i = 0; i < n; i++) {
        float x = a[i] * 2;
        dot = fma(a[i], b[i], dot);
        both += x;
        both = fma(a[i], b[i] - 2, both);
        if (a[i] > 28 && b[i] < 38)
            few += a[i] < 36 ? a[i] + 1 : 60;
        less -= a[i] > 100 ? b[i] : 0;
    }
    out[0] = dot;
    out[1] = both;
    out[2] = few - 7;
    out[3] = less;
}

// The result depends on the order.
kernel void order(global const float *a, global float *out)
{
    float sum = 0, late = 0;
    for (int i = 0; i < 8; i++)
        sum += a[i];
    for (int i = 1; i < 8; i += 2)
        late += a[i] > 0 ? a[i] : a[i] * 0x1p-60f;
    out[0] = sum;
    out[1] = late - 2;
}

// A sum of nothing keeps the sign of a zero.
kernel void signs(int n, global float *out)
{
    float a = -0.0f, b = -0.0f;
    for (int i = 0; i < n; i++) {
        if (i > 100)
            a += i;
        if (i > 100)
            b = fma(i, 2.0f, b);
    }
    out[0] = 1 / a;
    out[1] = 1 / b;
}

kernel void integers(global const int *a, uint n, global int *out)
{
    int sum = 0, less = 3, odd = 0, and = -1, or = 0, bits = 7, most = -5, least = 100;
    long squares = 0;
    uint product = 1;
    for (uint i = 0; i != n; i++) {
        sum += a[i];
        less -= a[i];
        if (a[i] & 1)
            odd += a[i] > 17 ? 2 : a[i] < 8;
        and &= a[i] | 2;
        or |= a[i];
        bits ^= a[i] * 3;
        most = max(most, a[i]);
        least = min(least, a[i]);
        squares += (long)a[i] * a[i] - i * 100L;
        product *= 2 * a[i] + 1;
    }
    out[0] = sum, out[1] = less, out[2] = odd + 3, out[3] = and, out[4] = or, out[5] = bits, out[6] = most, out[7] = least;
    out[8] = squares + 18900 - 100 * (product == 0) - (product & 1) * 0;
}

kernel void down(global const int *a, int n, global int *out)
{
    int sum = 0, squares = 0;
    for (int i = n; i >= 0; i--)
        sum += a[i];
    for (int i = 0; i <= n; i++)
        squares += a[i] * a[i];
    out[0] = sum;
    out[1] = squares;
}

typedef struct { int x, y, z, w, more[6]; } record;

// Iterations write their own records.
kernel void records(global record *r, int n, local record *copy)
{
    for (int i = 0; i < n; i++) {
        r[i].x += r[i].w + 1;
        r[i].z = r[i].x * 3;
        r[i].y = r[i].w;
        if (i >= 0)
            r[i].x *= 1 + (i > -1) * 0;
        r[i].x += i * 0;
    }
    for (int i = 0; i < n; i++) {
        int first = r[i].more[1], last = r[i].more[5];
        r[i].more[1] = last;
        r[i].more[3] -= first - r[i].more[0] - 2 + i * 0;
        r[i].more[2] = r[i].more[4];
    }
}

kernel void bits(global const uint *all, global float *out)
{
    size_t i = get_global_id(0);
    uint left = all[i];
    float sum = 0;
    for (int k = 0; k < 32; k++) {
        if (left & 1)
            sum += k;
        left >>= 1;
    }
    out[i] = get_local_size(0) == 1 && get_num_groups(0) == 2 ? sum + left : -1;
}

kernel void shared(global int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i + 2] = a[i] + a[i + 1];
}

kernel void distances(global int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i + 16] = a[i];
}

kernel void same(global int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[0] = i;
        a[1]++;
    }
}

kernel void vectors(global const float4 *a, int n, global float4 *out)
{
    float4 sum = 0;
    for (int i = 0; i < n; i++)
        sum.xyz += a[i].xyz;
    out[0] = sum;
}

kernel void bytes(global const uchar *a, int n, global uint *out, global uchar *twice)
{
    uint sum = 0, same = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        twice[i] = a[i] * 2;
    }
    for (int i = 0; i < n; i++)
        same += twice[i] == (uchar)(a[i] * 2);
    out[0] = sum;
    out[1] = same;
}

kernel void last(global const int *a, int n, global int *out)
{
    int previous = -1, i = 0;
    for (; i < n; i++)
        previous = a[i];
    out[0] = previous;
    out[1] = i;
}

kernel void negative(global const int *a, int from, int to, global int *out)
{
    int sum = 0;
    for (int i = from; i < to; i++)
        sum += a[i + 11];
    for (int i = to; i < from; i++)
        sum += 1000;
    out[0] = sum + 100 - (to == 11 ? 0 : 1) - (from == -9 ? 20 : 1) + (sum == 230 ? 0 : 1);
}

kernel void nested(global const float *a, global const float *b, global float *out)
{
    float sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            sum += a[get_group_id(0) * 4 + j] + b[i * 4 + j];
    out[get_group_id(0)] = sum;
}
