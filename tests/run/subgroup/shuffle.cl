// Values of others, of every type.
// options: -cl-std=CL2.0
// run: k global=64 local=64 args: int[64] = iota ; int[64] = 0 ... ; int[64] = 0 ... ; int[64] = 0 ... ; int[64] = 0 ...
// run: types global=64 local=64 args: int[64] = iota ; double[64] = 0 ...
// run: clusters global=64 local=64 args: int[64] = iota ; int[64] = 0 ... ; float[64] = 0 ... ; int = 2
// expect: 1 = 7 7 11 11 15 15 19 19 23 23 27 27 31 31 35 35
kernel void k(global const int *in, global int *any, global int *other, global int *up, global int *turned) {
    size_t i = get_global_id(0);
    int x = in[i] + 10;
    uint size = get_sub_group_size(), id = get_sub_group_local_id();
    any[i] = sub_group_shuffle(x, (uint)x * 3 % size);
    other[i] = sub_group_shuffle_xor(x, 1 & (size - 1)) + sub_group_broadcast(x * 1000, size / 2);
    int a = sub_group_shuffle_up(x, 1), b = sub_group_shuffle_down(x, 2);
    up[i] = (id >= 1 ? a : -1) * 100 + (id + 2 < size ? b : -1);
    turned[i] = sub_group_rotate(x, 3) * 100 + sub_group_rotate(x, -1) + (size > 1 ? sub_group_clustered_rotate(x, 1, 2) : 0);
}
kernel void types(global const int *in, global double *out) {
    size_t i = get_global_id(0);
    int x = in[i] + 10;
    uint from = (get_sub_group_local_id() + 1) % get_sub_group_size();
    double r = sub_group_shuffle((char)x, from) + sub_group_shuffle((uchar)(x * 9), from);
    r = r * 3 + sub_group_shuffle((short)(x * 999), from) + sub_group_shuffle((ushort)(x * 5000), from);
    r = r * 3 + sub_group_shuffle((uint)x << 28, from) + sub_group_shuffle((long)x << 33, from);
    r = r * 3 + sub_group_shuffle((ulong)x << 9, from) + sub_group_shuffle(0.5f * x, from);
    r = r * 3 + sub_group_shuffle(0.1 * x, from) + (float)sub_group_shuffle((half)x, from);
    float4 v = sub_group_broadcast((float4)(x, 1, 2, i), 0);
    short3 w = sub_group_non_uniform_broadcast((short3)(x, 1, i), get_sub_group_size() - 1);
    out[i] = r + dot(v, (float4)(1, 2, 3, 4)) + w.x + w.y * w.z;
}
kernel void clusters(global const int *in, global int *sum, global float *most, int size) {
    size_t i = get_global_id(0);
    int x = in[i] + 3;
    sum[i] = get_max_sub_group_size() < 2 ? x : sub_group_clustered_reduce_add(x, 2);
    if (x % 3)
        most[i] = sub_group_clustered_reduce_mul(0.5f * x, (uint)size) - sub_group_clustered_reduce_max((short)x, 4u) + sub_group_clustered_reduce_logical_xor(x > 7, 1u << (x & 1 ? 1 : 1));
}
