// Values that nothing is left for: other compilers warn and drop them.
// options: -cl-std=CL2.0
struct pair { int x; float y; };
union either { int i; float f; };
constant int table[2] = { 1, 2, 3 }; // warning: too many values for the array
constant char word[2] = "abc"; // warning: longer than the array
constant char fits[3] = "abc";
constant struct pair pairs[1] = { { 1, 2, 3 }, { 4, 5 } }; // warning: too many values for the struct // warning: too many values for the array
int helper(int x) { return x; }
kernel void k(global int *g) {
    int x = { 1, 2 }; // warning: too many values for a scalar
    int y = { 1, };
    int2 v = { 1, 2, 3 }; // warning: too many values for the vector
    float4 w = { (float2)(1, 2), (float2)(3, 4), 5 }; // warning: too many values for the vector
    union either e = { 1, 2.0f }; // warning: too many values for the union
    struct pair p = { 1, 2, 3, 4 }; // warning: too many values for the struct
    struct pair q[2] = { 1, 2, 3, 4, 5, 6 }; // warning: too many values for the array
    // One warning for each list, and the list goes on where a designator says.
    int a[3] = { 1, 2, 3, helper(4), g[5]++, { 6, { 7 } }, [0] = 8, }; // warning: too many values for the array
    int b[2][2] = { { 1, 2, 3 }, { 4, 5, 6 } }; // warning: too many values for the array // warning: too many values for the array
    g[0] = x + y + v.x + (int)w.x + e.i + p.x + q[0].x + a[0] + b[1][1] + table[0] + word[0] + fits[0] + pairs[0].x;
}
