// Structs, unions, arrays, and every way to initialize them.
typedef struct { float x, y; } point;
struct tree { struct tree global *left; int value; struct { short a; union { int i; float f; }; }; };
typedef union { uint bits; float value; uchar bytes[4]; } word;
enum color { RED, GREEN = 5, BLUE, LAST = BLUE };
typedef enum { OFF, ON } flag_t;
constant int table[] = { [3] = 7, 1, [0] = 2 };
constant point corners[2][2] = { { { 0, 1 }, { 2, 3 } }, { [1].y = 4 } };
constant char text[] = "hello" " world";
constant char short_text[4] = "abcd";
constant struct { int n; float4 v[2]; char name[8]; } big = { 3, { (float4)(1), { 1, 2, 3, 4 } }, "name" };
constant float4 flat[2] = { 1, 2, 3, 4, 5, 6, 7, 8 };
constant int from_constant = table[3] + (int)sizeof(corners) + big.n;
constant int *constant pointer = &table[1] + 2;
constant point *constant corner = &corners[1][1];
constant sampler_like = 3; // error: unknown type name 'sampler_like'
int helper(point p[3], int (*rows)[4]);
int helper(point *p, int rows[][4]) { return (int)p[1].x + rows[1][2]; }
point make(float x) { point p = { x, .y = x }; return p; }
kernel void k(global struct tree *t, global int *out)
{
    point a = { 1, 2 }, b = a, c[3] = { { 1, 2 }, a, 5, 6 };
    c[2] = (point){ .x = 3, .y = 4 };
    int grid[2][4] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    word w = { .value = 1.0f };
    w.bytes[3] ^= 0x80;
    int size_known[sizeof(int) * 2 + LAST];
    size_known[RED] = w.bits + make(2).y + (point){ 7, 8 }.x;
    flag_t f = ON;
    enum color e = f ? GREEN : BLUE;
    t->i = helper(c, grid) + ((int[]){ 1, 2, 3 })[1];
    t->left->left->f = t[1].a;
    out[0] = size_known[0] + e + sizeof grid / sizeof grid[0] + table[2] + text[0];
    out[1] = corner->y + *pointer + from_constant + big.v[1].y + flat[1].w;
    const int n = 4;
    float fixed[n * 2];
    fixed[n] = out[1];
    out[2] = fixed[4];
}
