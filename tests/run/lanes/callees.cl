// Functions that are too large to be inlined, or must not be, are as wide as the kernel: what they are given goes in steps, is the
// same or is anything, and not all items may call them.
// run: parts global=37 local=37 args: int[37] = iota; float[37] = 0.5 1.5 -2 7.25 ...; int = 21
// run: parts global=64 local=16 args: int[64] = iota; float[64] = 3 0.5 1.5 -2 7.25 ...; int = 40
// run: parts global=24,2 local=12,2 args: int[48] = iota; float[48] = 1 -0.5 ...; int = 30
// run: memory global=19 local=19 args: int[64] = 5 3 9 1 0 7 ...; int[76] = 0; local 80; int = 15
// expect: 1 = 2 -3 0 0 8 -5 8 -15 0 0 2 -13 20 -9 0 0 10 -27 2 -21 0 0 24 -47 14 -39 0 0 44 0 0 0 0 0 0 0 0 0 119 110 274 115 130 138 243 155 146 136 281 138 204 186 261 113 92 93 185 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: memory global=32 local=16 args: int[64] = 0 1 5 2 8 63 ...; int[128] = 0; local 80; int = 32
// expect: 1 = 2 -3 0 0 8 -5 8 -15 0 0 2 -13 20 -9 0 0 10 -27 2 -21 0 0 24 -47 14 -39 0 0 44 -17 32 -63 0 0 2 -21 56 -5 0 0 22 -47 2 -29 0 0 48 -79 26 -59 0 0 80 -13 56 -95 0 0 2 -45 92 -17 0 0 80 73 169 81 89 152 299 211 174 164 337 166 253 207 331 178 192 251 347 184 222 200 496 202 238 279 379 277 303 224 395 220 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: nested global=33 local=33 args: uint[33] = iota; uint = 5; uint = 3
// expect: 0 = 2081563609 2303620171 543366782 1363419415 95858532 3586112674 783767704 2250214442 93660719 2788816451 2827486298 1807669431 2095468334 1301760088 1724715946 23266295 1739420487 3752796346 3080957413 280765836 3336589146 3777605526 3682121331 852888868 1370712215 2360785827 1680392543 3543471591 3692493815 3104706089 2706639082 951514153 929548320
// run: nested global=48 local=16 args: uint[48] = iota; uint = 0; uint = 9
// expect: 0 = 0 1768936043 2711678420 4135493647 1464313451 397494937 698826903 2983146991 1137576906 3082921497 3288073785 1435454013 3425099370 3014492807 3546612439 3096188280 680462861 4017072512 4142034780 3568657079 312618536 2927003052 2609985998 718918697 4051092909 491091210 2591576796 553248429 1487061244 2570432250 390671315 2462250589 2531673049 1584339881 2397431106 3825245310 4 313430896 3833629318 3423043025 4119794956 3600115841 1311042438 1895332386 3520973734 3807258009 979435171 496796762
// run: shapes global=21 local=21 args: int[256] = iota; long[21] = 0; int = 2
// expect: 1 = 304 465 922 1565 622 1164 2053 3343 1076 2412 3538 5285 1478 2036 2461 3519 1820 3057 4778 5677 2030
// run: shapes global=32 local=8 args: int[256] = iota; long[32] = 0; int = 1
// expect: 1 = 123 299 691 1381 301 844 1734 2865 503 1678 2691 4533 765 1388 1702 2825 871 2283 3907 4421 1261 2699 5094 5921 1203 3515 4659 7045 1357 3116 5510 9137
// run: records global=18 local=18 args: int[90] = 0; int = 4
// run: records global=32 local=32 args: int[160] = 0; int = 7

#define APART __attribute__((noinline))

// Divergent loops, returns from inside them, a switch that falls through.
APART int collatz(int n, int most) {
    int steps = 0;
    if (n <= 0)
        return -1;
    while (n != 1) {
        if (steps >= most)
            return n + 1000;
        n = n % 2 ? 3 * n + 1 : n / 2;
        ++steps;
    }
    return steps;
}

APART float pick(float x, int way) {
    float sum = 0;
    switch (way) {
    case 0:
        sum = x;
    case 1:
        sum += 2;
        break;
    case 3:
        for (int i = 0; i < 5; ++i)
            sum += x * i;
        break;
    default:
        if (x < 0)
            return -x;
        sum = x - way;
    }
    return sum * 2;
}

APART float4 mix4(float4 v, float2 w, int i) {
    if (i % 3 == 0)
        return v.wzyx;
    float4 all = v * w.x;
    for (int t = 0; t < (i & 3); ++t)
        all += w.yxyx;
    return all;
}

APART bool is_odd_one(int i, bool turned) {
    if (turned)
        return i % 2 == 0;
    return i % 7 < 3 && i & 1;
}

kernel void parts(global int *data, global const float *in, int n) {
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    int all = collatz(i, 20) + collatz(n, 100);
    float4 v = mix4((float4)(in[i], i, 1, n), (float2)(0.5f, in[i]), i);
    all += (int)(v.x + 2 * v.y + 3 * v.z + 4 * v.w);
    if (i < n) {
        for (int t = 0; t < i % 4; ++t)
            all += (int)pick(in[i] + t, (i + t) % 5);
        if (is_odd_one(i, in[i] > 0))
            all += 100000 + collatz(i + 27, 30);
        if (is_odd_one(i + n, n > 25))
            all += 200000;
    }
    data[i] = all;
}

// Through pointers to global, local and private memory: who takes no part touches none.
APART int gather(global const int *table, int at, int limit) {
    int sum = 0;
    while (at < limit && sum < 100) {
        sum += table[at];
        at += 1 + table[(at * 7) % limit];
    }
    return sum;
}

APART void scatter(global int *out, local int *shared, private int *mine, int i, int n) {
    for (int t = 0; t < 4; ++t)
        mine[(t + i) & 3] += i * t;
    if (i % 3 == 1)
        return;
    shared[i % 16] = mine[i & 3];
    out[i * 2] = mine[1];
    if (i + 1 < n)
        out[i * 2 + 1] = -mine[2] - (int)get_local_id(0);
    mine[0] = shared[i % 16] + 7;
}

kernel void memory(global const int *table, global int *out, local int *shared, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    int mine[4] = {1, 2, 3, i};
    if (l < 16)
        shared[l] = 0;
    int sum = gather(table, i, 64) + gather(table, n, 64);
    if (i < n && l < 16) {
        scatter(out, shared, mine, i, n);
        sum += mine[0] + mine[3];
    }
    mine[2] += sum;
    out[2 * get_global_size(0) + i] = sum + mine[i & 3];
    if (i % 5 == 2)
        out[2 * get_global_size(0) + i] += gather(i < n ? table + 1 : 0, i < n ? i : 40, 40);
}

// Calls in calls, and who is called asks where it is.
APART uint leaf(uint x, uint y) {
    for (uint t = 0; t < (x & 7); ++t)
        x = x * 1664525 + y + (uint)get_global_id(0);
    return x ^ y >> 3;
}

APART ulong middle(uint x, uint turns) {
    ulong all = 0;
    for (uint t = 0; t < turns + x % 3; ++t) {
        if (x + t & 1)
            all += leaf(x + t, turns);
        else
            all ^= (ulong)leaf(t, x) << 20;
    }
    return all + get_local_id(0);
}

APART uint root_of(uint x, uint turns) {
    if (x % 4 == 3)
        return 1;
    ulong all = middle(x, turns);
    if (all & 1)
        all += middle((uint)all & 0xff, 2);
    return (uint)(all ^ all >> 32);
}

kernel void nested(global uint *data, uint turns, uint by) {
    uint i = get_global_id(0), all = 0;
    for (uint t = 0; t < i % by + 1; ++t)
        all = all * 31 + root_of(data[i] + t, turns);
    if (i & 2)
        all += leaf(i, turns) + get_local_id(0);
    data[i] = all;
}

// One function, called with what is the same, goes in steps, or is anything: more ways than there are versions.
APART long sum_of(global const int *a, int from, int count, short by, char c, long more) {
    long sum = more;
    for (int t = from; t < from + count; ++t)
        sum += a[t & 63] * by + c;
    return sum;
}

kernel void shapes(global const int *a, global long *out, int n) {
    int i = get_global_id(0);
    long all = sum_of(a, 3, n, 2, 1, n);
    all += sum_of(a, i, n, 2, 1, 5);
    all += sum_of(a + i, 0, n, 3, 1, i);
    all ^= sum_of(a, i * 5, a[i] & 3, 2, (char)i, all) << 3;
    all += sum_of(a + (i * 7 & 31), i, i & 3, (short)i, 2, n);
    if (i % 3)
        all += sum_of(a, i, n, (short)n, 4, all & 15);
    if (a[i] & 4)
        all -= sum_of(a + n, n, i & 7, 1, -3, i * 2);
    all += sum_of(a + 2 * i, n, n, 2, (char)n, -i);
    out[i] = all;
}

// Structures, as arguments and as results, and arrays that go down two calls.
typedef struct {
    int a;
    char b;
    float2 v;
    int rest[3];
} record;

APART record changed(record r, int by) {
    if (by & 1)
        r.rest[by % 3] = r.a;
    r.a += by;
    r.b = (char)(r.b * 3);
    r.v = r.v.yx + (float2)(by, 1);
    return r;
}

APART int folded(private int *all, int count, record *r) {
    int sum = 0;
    for (int t = 0; t < count; ++t) {
        sum += all[t];
        if (sum > 50) {
            all[t] = 0;
            *r = changed(*r, t);
            break;
        }
        all[t] = sum;
    }
    return sum;
}

kernel void records(global int *out, int n) {
    int i = get_global_id(0);
    record r = {i, (char)i, (float2)(i, 0.5f), {1, 2, i}};
    int all[8];
    for (int t = 0; t < 8; ++t)
        all[t] = i * t;
    r = changed(r, n);
    int sum = folded(all, 8, &r);
    if (i % 2)
        sum += folded(all + 2, i % 5, &r) + changed(r, i).rest[2];
    out[i * 5] = sum;
    out[i * 5 + 1] = r.a + r.b;
    out[i * 5 + 2] = (int)(r.v.x * 2 + r.v.y * 4);
    out[i * 5 + 3] = r.rest[0] + 10 * r.rest[1] + 100 * r.rest[2];
    out[i * 5 + 4] = all[i & 7] + all[n];
}
