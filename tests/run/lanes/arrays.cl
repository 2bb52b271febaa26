// Private arrays whose elements lie beside those of the other items: indices that all items share, and their own; stores
// by some items only; elements of all sizes; vectors; what is accessed in several sizes; fills and copies; pointers that walk.
// run: scalars global=37 local=37 args: int[37] = iota; long[37] = 0 ... ; int = 5
// expect: 1 = 872910336897144 3931499675245324 3615856658687000 5150681461574376 7123663012514412 8197359742693940 10020602288474232 11573293677204532 12564463796585792 12205430500123224 17331439057438324 8058208343959604 9593033146846980 11566014697787016 12639711427966544 14284333630821408 15479784333700852 15399232395529544 11825032926409272 7305542965751260 18357018897702224 19241126048537376 19045048759303332 -3090184100379796 -1624182240450360 -569066339404364 -18639999288486064 -17620753105637352 -8359906110388412 -17978935612297876 -16444110809410500 -14471129258470464 -13397432528290936 -11459333359234704 -9676928723952524 -15805230689542312 -6288232942411272
// run: branches global=19 local=19 args: int[19] = iota; int[19] = 0 ... ; int = 3
// expect: 1 = 404800 403201 404202 403640 399604 403140 400640 392407 419340 395840 381610 430640 389240 367213 449940 380840 349216 468040 370640
// run: vectors global=21 local=21 args: float[84] = iota; float[84] = 0 ... ; int = 1
// run: mixed global=18 local=18 args: int[18] = iota; uint[18] = 0 ... ; int = 2
// expect: 1 = 200812742 1700574379 316133623 2253614974 3791474880 1638889344 764882770 1935135628 3087168957 1577134915 1213695323 1616663352 2382863042 1515414491 1662371047 1298283637 1678567487 1453694295
// run: copies global=20 local=20 args: int[20] = iota; int[20] = 0 ... ; int = 2
// expect: 1 = -856044435 -1922330404 1272772600 -1118493125 518728856 2000514327 -84315640 713791272 -1842201876 -1718174969 1935817318 -856748773 2041983400 -1806451714 529665704 -58363630 -1130767700 1024146691 -1589913456 629572437
// run: pointers global=17 local=17 args: int[17] = iota; int[17] = 0 ... ; int = 7
// expect: 1 = 14643 4228519 8519392 12685566 8520329 10571375 25550208 14799939 17036305 38056608 21291017 23256915 51103046 27485471 29806481 63427770 34067601
#define KIND(T, n) \
    T t##n[9]; \
    for (int j = 0; j < 9; ++j) \
        t##n[j] = (T)(j * 3 + i * 5); \
    t##n[(i * 7 + 3) % 9] += (T)k; \
    t##n[(k * 2) % 9] = (T)(t##n[k % 9] + t##n[i % 9]); \
    for (int j = 0; j < k; ++j) \
        sum = sum * 3 + (long)t##n[j] + (long)t##n[(j + i) % 9];
kernel void scalars(global const int *in, global long *out, int k) {
    int i = in[get_global_id(0)];
    long sum = 0;
    KIND(char, 0)
    KIND(ushort, 1)
    KIND(int, 2)
    KIND(ulong, 3)
    KIND(float, 4)
    KIND(double, 5)
    out[get_global_id(0)] = sum;
}
kernel void branches(global const int *in, global int *out, int k) {
    int i = in[get_global_id(0)], t[40];
    for (int j = 0; j < 40; ++j)
        t[j] = j;
    if (i % 3 == 1) {
        t[k] = i;
        t[i % 40] = -i;
    } else if (i % 3 == 2) {
        for (int j = k; j < i; ++j) {
            t[j] += t[j - 1] & 15;
            if (t[j] > 30)
                break;
        }
    }
    int sum = 0;
    for (int j = 0; j < 20 + k; ++j)
        if (t[j] != i)
            sum += t[j] * (j + 1);
    while (t[i % 40] > 2 && i < 400)
        t[i++ % 40] -= k;
    out[get_global_id(0)] = sum * 100 + i;
}
kernel void vectors(global const float *in, global float *out, int k) {
    int i = get_global_id(0);
    float4 t[6];
    float flat[12];
    for (int j = 0; j < 6; ++j)
        t[j] = vload4(i, in) * (float)j;
    t[i % 6].y += 3;
    t[k] = t[k].wzyx;
    for (int j = 0; j < 12; ++j)
        flat[j] = t[j % 6].x + j;
    vstore4(t[(i + k) % 6] + t[k], i % 2, flat + 1);
    vstore4(vload4(0, flat + k) + vload3(1, flat + i % 5).xyzx + t[5], i, out);
}
struct pair { int a; int b; };
struct record { char c; short s; int n; double d; };
union bits { int n; uchar b[4]; };
kernel void mixed(global const int *in, global uint *out, int k) {
    int i = in[get_global_id(0)];
    struct pair pairs[5];
    struct record records[5];
    union bits all[4];
    uchar bytes[16];
    for (int j = 0; j < 5; ++j) {
        pairs[j].a = i + j;
        pairs[j].b = i * j;
        records[j].c = (char)(i - j);
        records[j].s = (short)(i * 300);
        records[j].n = i << j;
        records[j].d = i * 0.5 + j;
        all[j & 3].n = i * 0x01020304 + j;
    }
    for (int j = 0; j < 16; ++j)
        bytes[j] = (uchar)(i * j);
    pairs[k] = pairs[i % 5];
    records[i % 5] = records[k];
    all[(i + 1) & 3].b[k] = 200;
    uint sum = *(uint *)(bytes + 4 * (i & 3)) + as_uint(vload4(i & 3, bytes));
    for (int j = 0; j < 5; ++j)
        sum = sum * 7 + pairs[j].a + pairs[j].b + records[j].c + records[j].s + records[j].n + (uint)records[j].d +
              all[j & 3].n;
    out[get_global_id(0)] = sum;
}
constant int primes[20] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71};
struct table { int of[20]; };
constant struct table squares = {{0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256, 289, 324, 361}};
kernel void copies(global const int *in, global int *out, int k) {
    int i = in[get_global_id(0)];
    int zeros[7] = {0}, many[33] = {1, 2};
    struct table t = squares, u;
    if (i & 1)
        t.of[k] = -i;
    u = t;
    if (i % 3 == 0)
        t = u;
    zeros[i % 7] = i;
    many[(i * 5) % 33] += k;
    for (int j = 0; j < k; ++j)
        u.of[j + i % 3] += zeros[j] + many[j];
    uint sum = primes[i % 20];
    for (int j = 0; j < 20; ++j)
        sum = sum * 3u + t.of[j] - u.of[19 - j] + zeros[j % 7] + many[j + 13];
    out[get_global_id(0)] = (int)sum;
}
kernel void pointers(global const int *in, global int *out, int k) {
    int i = in[get_global_id(0)], t[16], other[16];
    for (int *p = t; p < t + 16; ++p)
        *p = (int)(p - t) * i;
    for (int j = 0; j < 16; ++j)
        other[j] = i ^ j;
    int *p = t + k, *q = i % 2 ? t : other, sum = 0;
    while (p != t && *p > i) {
        sum += *p;
        --p;
    }
    for (int j = 0; j < k; ++j)
        sum = sum * 5 + q[j];
    int *r = t + i % 3;
    r[k] = sum;
    out[get_global_id(0)] = sum + t[k] + t[(i + k) % 16];
}
