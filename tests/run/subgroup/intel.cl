// Functions of cl_intel_subgroups and those of it for char, short and long, which programs of OpenCL C 1.2 have, too.
// run: buffers global=16 local=8 args: uint[128] = iota; uint[128] = 0 ...; int[16] = 0 ...
// expect: 1 = 56 57 58 59 60 61 62 63 48 49 50 51 52 53 54 55 40 41 42 43 44 45 46 47 32 33 34 35 36 37 38 39 24 25 26 27 28 29 30 31 16 17 18 19 20 21 22 23 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 120 121 122 123 124 125 126 127 112 113 114 115 116 117 118 119 104 105 106 107 108 109 110 111 96 97 98 99 100 101 102 103 88 89 90 91 92 93 94 95 80 81 82 83 84 85 86 87 72 73 74 75 76 77 78 79 64 65 66 67 68 69 70 71
// expect: 2 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: bytes global=8 local=8 args: uchar[128] = iota; uchar[128] = 0 ...; int[8] = 0 ...
// expect: 1 = 120 121 122 123 124 125 126 127 112 113 114 115 116 117 118 119 104 105 106 107 108 109 110 111 96 97 98 99 100 101 102 103 88 89 90 91 92 93 94 95 80 81 82 83 84 85 86 87 72 73 74 75 76 77 78 79 64 65 66 67 68 69 70 71 56 57 58 59 60 61 62 63 48 49 50 51 52 53 54 55 40 41 42 43 44 45 46 47 32 33 34 35 36 37 38 39 24 25 26 27 28 29 30 31 16 17 18 19 20 21 22 23 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
// expect: 2 = 1 1 1 1 1 1 1 1
// run: shorts global=8 local=8 args: ushort[128] = iota; ushort[128] = 0 ...; int[8] = 0 ...
// expect: 1 = 120 121 122 123 124 125 126 127 112 113 114 115 116 117 118 119 104 105 106 107 108 109 110 111 96 97 98 99 100 101 102 103 88 89 90 91 92 93 94 95 80 81 82 83 84 85 86 87 72 73 74 75 76 77 78 79 64 65 66 67 68 69 70 71 56 57 58 59 60 61 62 63 48 49 50 51 52 53 54 55 40 41 42 43 44 45 46 47 32 33 34 35 36 37 38 39 24 25 26 27 28 29 30 31 16 17 18 19 20 21 22 23 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
// expect: 2 = 1 1 1 1 1 1 1 1
// run: longs global=8 local=8 args: ulong[64] = iota; ulong[64] = 0 ...; int[8] = 0 ...
// expect: 1 = 56 57 58 59 60 61 62 63 48 49 50 51 52 53 54 55 40 41 42 43 44 45 46 47 32 33 34 35 36 37 38 39 24 25 26 27 28 29 30 31 16 17 18 19 20 21 22 23 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
// expect: 2 = 1 1 1 1 1 1 1 1
// run: rows global=8 local=8 args: image R UNSIGNED_INT32 20x6x1 pitch 96 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 300 301 302 303 304 305 306 307 308 309 310 311 312 313 314 315 316 317 318 319 400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 418 419 500 501 502 503 504 505 506 507 508 509 510 511 512 513 514 515 516 517 518 519; uint[96] = 0 ...; ulong[32] = 0 ...
// expect: 1 = 102 202 302 402 0 0 416 516 516 516 256 14286848 103 203 303 403 0 0 417 517 517 517 512 14352384 104 204 304 404 0 0 418 518 518 518 768 14352384 105 205 305 405 1 1 419 519 519 519 1024 14352384 106 206 306 406 2 2 419 519 519 519 1280 14352384 107 207 307 407 3 3 419 519 519 519 1536 14352384 108 208 308 408 4 4 419 519 519 519 1792 14352384 109 209 309 409 5 5 419 519 519 519 2048 14352384
// expect: 2 = 4294967296 433791696996 2216203125251 2216203125251 12884901890 442381631590 2224793059845 2224793059845 21474836484 450971566184 2229088027143 2229088027143 30064771078 459561500778 2229088027143 2229088027143 38654705672 468151435372 2229088027143 2229088027143 47244640266 476741369966 2229088027143 2229088027143 55834574860 485331304560 2229088027143 2229088027143 64424509454 493921239154 2229088027143 2229088027143
// run: small_rows global=8 local=8 args: image R UNSIGNED_INT8 16x18x1 = 0 7 14 21 28 35 42 49 56 63 70 77 84 91 98 105 31 38 45 52 59 66 73 80 87 94 101 108 115 122 129 136 62 69 76 83 90 97 104 111 118 125 132 139 146 153 160 167 93 100 107 114 121 128 135 142 149 156 163 170 177 184 191 198 124 131 138 145 152 159 166 173 180 187 194 201 208 215 222 229 155 162 169 176 183 190 197 204 211 218 225 232 239 246 253 4 186 193 200 207 214 221 228 235 242 249 0 7 14 21 28 35 217 224 231 238 245 252 3 10 17 24 31 38 45 52 59 66 248 255 6 13 20 27 34 41 48 55 62 69 76 83 90 97 23 30 37 44 51 58 65 72 79 86 93 100 107 114 121 128 54 61 68 75 82 89 96 103 110 117 124 131 138 145 152 159 85 92 99 106 113 120 127 134 141 148 155 162 169 176 183 190 116 123 130 137 144 151 158 165 172 179 186 193 200 207 214 221 147 154 161 168 175 182 189 196 203 210 217 224 231 238 245 252 178 185 192 199 206 213 220 227 234 241 248 255 6 13 20 27 209 216 223 230 237 244 251 2 9 16 23 30 37 44 51 58 240 247 254 5 12 19 26 33 40 47 54 61 68 75 82 89 15 22 29 36 43 50 57 64 71 78 85 92 99 106 113 120; uint[296] = 0 ...
// expect: 1 = 52 83 114 145 176 207 238 13 44 75 106 137 168 199 230 5 61680 3855 3855 3855 3591 11558 19525 27492 35459 43426 51393 59360 1791 9502 17469 25436 33403 41370 49337 57304 84 59 90 121 152 183 214 245 20 51 82 113 144 175 206 237 12 63472 5647 5647 5647 7189 15156 23123 31090 39057 47024 54991 62958 5133 13100 21067 29034 37001 44968 52935 60902 91 66 97 128 159 190 221 252 27 58 89 120 151 182 213 244 19 1534 9245 9245 9245 10787 18754 26721 34688 42655 50622 58589 1020 8731 16698 24665 32632 40599 48566 56533 64500 98 73 104 135 166 197 228 3 34 65 96 127 158 189 220 251 26 4876 12843 12843 12843 14385 22352 30319 38286 46253 54220 62187 4362 12329 20296 28263 36230 44197 52164 60131 2306 105 80 111 142 173 204 235 10 41 72 103 134 165 196 227 2 33 8474 16441 16441 16441 17983 25950 33917 41884 49851 57818 249 7960 15927 23894 31861 39828 47795 55762 63729 5904 105 87 118 149 180 211 242 17 48 79 110 141 172 203 234 9 40 12072 20039 20039 20039 21581 29548 37515 45482 53449 61416 3591 11558 19525 27492 35459 43426 51393 59360 1791 9502 105 94 125 156 187 218 249 24 55 86 117 148 179 210 241 16 47 15670 23637 23637 23637 25179 33146 41113 49080 57047 65014 7189 15156 23123 31090 39057 47024 54991 62958 5133 13100 105 101 132 163 194 225 0 31 62 93 124 155 186 217 248 23 54 19268 27235 27235 27235 26985 34952 42919 50886 58853 1028 8995 16962 24929 32896 40863 48830 56797 64764 6939 14906 105
// run: written_rows global=8 local=8 args: image R UNSIGNED_INT32 20x4x1 pitch 128 = 0; image R UNSIGNED_INT8 12x17x1 = 0
// expect: 0 = 5 6 7 8 0 0 0 0 0 0 6357088 6488162 6619236 6750310 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7405680 7536754 7667828 7798902 0 0 0 1 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 0 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 2 3 4
// expect: 1 = 1 2 3 4 2 2 3 4 3 2 3 4 0 0 0 0 0 1 2 3 4 5 6 7 0 0 0 0 16 17 18 19 20 21 22 23 0 0 0 0 32 33 34 35 36 37 38 39 0 0 0 0 48 49 50 51 52 53 54 55 0 0 0 0 64 65 66 67 68 69 70 71 0 0 0 0 80 81 82 83 84 85 86 87 0 0 0 0 96 97 98 99 100 101 102 103 0 0 0 0 112 113 114 115 116 117 118 119 0 0 0 0 128 129 130 131 132 133 134 135 0 0 0 0 144 145 146 147 148 149 150 151 0 0 0 0 160 161 162 163 164 165 166 167 0 0 0 0 176 177 178 179 180 181 182 183 0 0 0 0 192 193 194 195 196 197 198 199 0 0 0 0 208 209 210 211 212 213 214 215 0 0 0 0 224 225 226 227 228 229 230 231 0 0 0 0 240 241 242 243 244 245 246 247
// run: small_values global=8 local=8 args: char[8] = 3 -1 2 7 -5 4 100 50; int[8] = 0 ...; int[8] = 0 ...
// expect: 1 = -1370510208 454003654 1354227903 -761213422 -1472992022 -700632612 -1520818849 -1409214304
// expect: 2 = -871809152 -1962373690 -1062084161 1117441810 405663210 1178022620 357836383 -47712096
// run: shuffles global=8 local=8 args: int[8] = 10 11 12 13 14 15 16 17; int[32] = 0 ...; int[8] = 0 ...
// expect: 1 = 10 15 115 13 13 14 116 14 16 17 117 15 11 16 10 16 14 11 11 17 17 10 12 110 12 13 13 111 15 12 14 112
// expect: 2 = 1 1 1 1 1 1 1 1
#if !(defined cl_intel_subgroups && defined cl_intel_subgroups_char && defined cl_intel_subgroups_short \
    && defined cl_intel_subgroups_long)
#error no macro
#endif
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define SUB_GROUP __attribute__((intel_reqd_sub_group_size(8)))

#define SAME2(v, p) (v.s0 == p[l] && v.s1 == p[8 + l])
#define SAME4(v, p) (SAME2(v.lo, p) && SAME2(v.hi, (p + 16)))
#define SAME8(v, p) (SAME4(v.lo, p) && SAME4(v.hi, (p + 32)))
#define SAME16(v, p) (SAME8(v.lo, p) && SAME8(v.hi, (p + 64)))
// Reads of each size give the same, and writes of smaller sizes are written over by the last one.
#define BLOCKS(S) \
    uint l = get_sub_group_local_id(); \
    int same = intel_sub_group_block_read##S(p) == p[l]; \
    same &= SAME2(intel_sub_group_block_read##S##2(p), p); \
    same &= SAME4(intel_sub_group_block_read##S##4(p), p); \
    same &= SAME8(intel_sub_group_block_read##S##8(p), p); \
    intel_sub_group_block_write##S##8(q, intel_sub_group_block_read##S##8(p)); \
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE); \
    same &= SAME8(intel_sub_group_block_read##S##8(q), p); \
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE); \
    intel_sub_group_block_write##S##4(q, intel_sub_group_block_read##S##4(p) + 1); \
    intel_sub_group_block_write##S##2(q, intel_sub_group_block_read##S##2(p) + 2); \
    intel_sub_group_block_write##S(q, intel_sub_group_block_read##S(p) + 3); \
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE); \
    same &= q[l] == p[l] + 3 && q[8 + l] == p[8 + l] + 2 && q[24 + l] == p[24 + l] + 1 && q[32 + l] == p[32 + l]; \
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE); \
    to[get_global_id(0)] = same

SUB_GROUP kernel void buffers(global const uint *in, global uint *out, global int *to)
{
    global const uint *p = in + 64 * get_group_id(0);
    global uint *q = out + 64 * get_group_id(0);
    BLOCKS();
    uint8 v = intel_sub_group_block_read_ui8(p);
    same &= SAME8(v, p) && intel_sub_group_block_read_ui(p) == p[l] && SAME2(intel_sub_group_block_read_ui2(p), p)
        && SAME4(intel_sub_group_block_read_ui4(p), p);
    intel_sub_group_block_write_ui8(q, v.s76543210);
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    // What is there already is written once more.
    intel_sub_group_block_write_ui(q, intel_sub_group_block_read(q));
    intel_sub_group_block_write_ui2(q, intel_sub_group_block_read2(q));
    intel_sub_group_block_write_ui4(q, intel_sub_group_block_read4(q));
    to[get_global_id(0)] = same;
}
SUB_GROUP kernel void bytes(global const uchar *p, global uchar *q, global int *to)
{
    BLOCKS(_uc);
    uchar16 v = intel_sub_group_block_read_uc16(p);
    to[l] = same && SAME16(v, p);
    intel_sub_group_block_write_uc16(q, v.sfedcba9876543210);
}
SUB_GROUP kernel void shorts(global const ushort *p, global ushort *q, global int *to)
{
    BLOCKS(_us);
    ushort16 v = intel_sub_group_block_read_us16(p);
    to[l] = same && SAME16(v, p);
    intel_sub_group_block_write_us16(q, v.sfedcba9876543210);
}
SUB_GROUP kernel void longs(global const ulong *p, global ulong *q, global int *to)
{
    BLOCKS(_ul);
    intel_sub_group_block_write_ul8(q, intel_sub_group_block_read_ul8(p).s76543210);
}

SUB_GROUP kernel void rows(read_only image2d_t from, global uint *out, global ulong *wide)
{
    uint l = get_sub_group_local_id();
    out += 12 * l, wide += 4 * l;
    vstore4(intel_sub_group_block_read4(from, (int2)(8, 1)), 0, out);
    vstore2(intel_sub_group_block_read2(from, (int2)(-8, -1)), 0, out + 4);
    vstore4(intel_sub_group_block_read_ui4(from, (int2)(64, 4)), 0, out + 6);
    out[10] = intel_sub_group_block_read(from, (int2)(3, 0));
    out[11] = intel_sub_group_block_read_ui(from, (int2)(70, 2));
    vstore2(intel_sub_group_block_read_ul2(from, (int2)(0, 0)), 0, wide);
    vstore2(intel_sub_group_block_read_ul2(from, (int2)(60, 5)), 1, wide);
}
SUB_GROUP kernel void small_rows(read_only image2d_t from, global uint *out)
{
    out += 37 * get_sub_group_local_id();
    vstore16(convert_uint16(intel_sub_group_block_read_uc16(from, (int2)(3, 1))), 0, out);
    vstore4(convert_uint4(intel_sub_group_block_read_us4(from, (int2)(-2, 16))), 4, out);
    vstore16(convert_uint16(intel_sub_group_block_read_us16(from, (int2)(1, 0))), 0, out + 20);
    out[36] = intel_sub_group_block_read_uc(from, (int2)(12, 0));
}
SUB_GROUP kernel void written_rows(write_only image2d_t to, write_only image2d_t small)
{
    uint l = get_sub_group_local_id();
    intel_sub_group_block_write2(to, (int2)(64, 3), (uint2)(l + 1, 100));
    intel_sub_group_block_write_ui(to, (int2)(-16, 0), l + 1);
    intel_sub_group_block_write_ul2(to, (int2)(68, 1), (ulong2)((l + 1) | (ulong)(l + 2) << 32, 7));
    ushort8 rows = (ushort8)(0, 16, 32, 48, 64, 80, 96, 112);
    intel_sub_group_block_write_us8(to, (int2)(40, -6), rows + (ushort)l);
    uchar16 more = (uchar16)(0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240);
    intel_sub_group_block_write_uc16(small, (int2)(4, 1), more + (uchar)l);
    intel_sub_group_block_write(small, (int2)(0, 0), 0x04030201u + l);
}

#define MIX(x, from) \
    mixed = intel_sub_group_broadcast(x, from); \
    mixed = mixed * 31 + intel_sub_group_reduce_add(x); \
    mixed = mixed * 31 + intel_sub_group_scan_inclusive_add(x); \
    mixed = mixed * 31 + intel_sub_group_scan_exclusive_add(x); \
    mixed = mixed * 31 + intel_sub_group_reduce_min(x); \
    mixed = mixed * 31 + intel_sub_group_scan_inclusive_min(x); \
    mixed = mixed * 31 + intel_sub_group_scan_exclusive_min(x); \
    mixed = mixed * 31 + intel_sub_group_reduce_max(x); \
    mixed = mixed * 31 + intel_sub_group_scan_inclusive_max(x); \
    mixed = mixed * 31 + intel_sub_group_scan_exclusive_max(x)
SUB_GROUP kernel void small_values(global const char *in, global int *chars, global int *shorts)
{
    uint l = get_sub_group_local_id(), mixed;
    char c = in[l];
    MIX(c, 3);
    chars[l] = mixed;
    MIX(as_uchar(c), 4);
    chars[l] += mixed;
    short s = c;
    MIX(s, 3);
    shorts[l] = mixed;
    MIX(as_ushort(s), 4);
    shorts[l] += mixed;
}

#define MOVED(T) \
    { \
        T a = (T)x, b = (T)(x + 100); \
        T c = intel_sub_group_shuffle(a, l * 3 % 8), d = intel_sub_group_shuffle_xor(a, 5); \
        T e = intel_sub_group_shuffle_up(b, a, 3), f = intel_sub_group_shuffle_down(a, b, 3); \
        same &= all(convert_int2((c == (T)out[0]) & (d == (T)out[1]) & (e == (T)out[2]) & (f == (T)out[3]))); \
    }
SUB_GROUP kernel void shuffles(global const int *in, global int *out, global int *right)
{
    uint l = get_sub_group_local_id();
    int x = in[l], y = x + 100, same = get_sub_group_size() == 8 && sub_group_all(l < 8) && !sub_group_any(l > 7);
    out += 4 * l;
    out[0] = intel_sub_group_shuffle(x, l * 3 % 8);
    out[1] = intel_sub_group_shuffle_xor(x, 5);
    out[2] = intel_sub_group_shuffle_up(y, x, 3);
    out[3] = intel_sub_group_shuffle_down(x, y, 3);
    MOVED(char2) MOVED(uchar2) MOVED(short2) MOVED(ushort2) MOVED(uint2) MOVED(int2) MOVED(float2)
    same &= intel_sub_group_shuffle_xor((float16)(x), 5).sf == (float)out[1];
    same &= intel_sub_group_shuffle_up((int3)(y), (int3)(x), 3).z == out[2];
    same &= intel_sub_group_shuffle_down((double)x, (double)y, 3) == (double)out[3];
    same &= intel_sub_group_shuffle((half)x, l * 3 % 8) == (half)out[0];
    same &= intel_sub_group_shuffle_down((long)x, (long)y, 3) == out[3];
    same &= intel_sub_group_shuffle((uchar16)(x), l * 3 % 8).s7 == (uchar)out[0];
    right[l] = same & (sub_group_reduce_add(x) == 108) & (sub_group_broadcast(x, 2) == 12);
}
