// A kernel so large that functions of sub-groups are called, which are found there.
// options: -cl-std=CL2.0
// run: large global=64 local=64 args: int[64] = iota ; int[64] = 0 ...
// expect: 1 = 32 96 160 224
#define ONE(n) y = (y ^ x + (n)) * 77;
#define FOUR(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3)
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)
#define SIXTY(n) SIXTEEN(n) SIXTEEN(n + 16) SIXTEEN(n + 32) SIXTEEN(n + 48)
__attribute__((intel_reqd_sub_group_size(32)))
kernel void large(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int x = in[3], y = 0;
    SIXTY(1) SIXTY(65) SIXTY(129) SIXTY(193) SIXTY(257) SIXTY(321) SIXTY(385) SIXTY(449)
    out[i] = sub_group_broadcast(y, 3) == y ? in[i] * 64 + get_sub_group_size() : -1;
}
