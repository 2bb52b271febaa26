// Functions for instructions of SPIR-V on groups, with types that OpenCL C has no function for.
// options: -cl-std=CL2.0
// run: two global=64 local=64 args: int[64] = iota ; int[64] = 0 ... ; int[64] = 0 ...
// expect: 2 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: blocks global=64 local=64 args: short[128] = iota ; short[128] = 0 ... ; int[64] = 0 ...
// expect: 2 = 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: groups global=8,4 local=4,2 args: int[32] = iota ; int[32] = 0 ... ; long[32] = 0 ... ; float[32] = 0 ...
// expect: 1 = 11108 11108 11108 11108 51508 51508 51508 51508
// expect: 2 = -9993 -9890 -9690 50307 -9993 -9890 -9690 50307
// expect: 3 = 5 7 11 11 5 7 11 11
kernel void two(global const int *in, global int *up, global int *down) {
    size_t i = get_global_id(0);
    int3 x = (int3)(in[i], -in[i], 7), y = x + 1000;
    uint size = get_max_sub_group_size(), id = get_sub_group_local_id(), delta = size / 2 + 1;
    int3 a = intel_sub_group_shuffle_up(y, x, delta), b = intel_sub_group_shuffle_down(x, y, delta);
    up[i] = a.x * 3 + a.y + a.z;
    down[i] = b.x * 3 + b.y + b.z;
    // Other lanes give these.
    int first = (int)(i - id);
    int3 before = id >= delta ? in[first + id - delta] : in[first + id + size - delta] + 1000;
    int3 behind = id + delta < size ? in[first + id + delta] : in[first + id + delta - size] + 1000;
    int same = a.x == before.x && b.x == behind.x;
    char2 moved = __spirv_shuffle((char2)((char)id, 3), (id + 1) % size) + __spirv_broadcast_first((char2)(5, 6));
    short2 turned = __spirv_rotate((short2)(id, 9), 1) - __spirv_shuffle_xor((short2)(id, 9), 0u);
    same &= moved.x == (char)((id + 1) % size + 5) && moved.y == 9 && turned.y == 0;
    same &= __spirv_all_agree(id < size) && (size == 1 || !__spirv_all_agree(id == 0));
    up[i] = same ? in[i] : -1;
    down[i] = same;
}
kernel void blocks(global const short *in, global short *out, global int *same) {
    size_t i = get_global_id(0);
    uint size = get_max_sub_group_size(), id = get_sub_group_local_id();
    size_t first = i - id;
    short2 pair = __block_read2(in + 2 * first);
    same[i] = pair.x == (short)(2 * first + id) && pair.y == (short)(2 * first + size + id) && __block_read1(in + first) == (short)i;
    __block_write2(out + 2 * first, (short2)(pair.y, pair.x));
    __block_write1(out + 2 * first, (short)7);
}
kernel void groups(global const int *in, global int *small, global long *wide, global float *parts) {
    size_t i = get_global_linear_id(), here = get_local_linear_id();
    int x = in[i];
    char3 far = __spirv_broadcast2((char3)((char)x, 1, (char)here), (ulong2)(3, 1));
    short near = __spirv_broadcast3((short)x, (ulong3)(1, 0, 0));
    small[i] = far.x * 100 + far.y + far.z + near * 10000;
    long odd = work_group_reduce_xor((long)x) + work_group_scan_inclusive_or((long)here) * 100;
    wide[i] = odd + work_group_scan_exclusive_and((long)(here == 2 ? 5 : -1)) * 10000
        + work_group_reduce_logical_and(x >= 0) * 7 + work_group_scan_inclusive_logical_xor(x & 1) * 3;
    parts[i] = work_group_scan_inclusive_mul(here < 3 ? 2.0f : 1.0f) + work_group_reduce_mul(here == 0 ? 3.0f : 1.0f);
}
