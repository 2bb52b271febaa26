// options: -cl-std=CL2.0
// Corners: typedefs of functions, atomics with values, strings in tables, wide enumerations.
typedef int binary(int a, int b);
binary add;
int add(int a, int b) { return a + b; }
global atomic_int counter = ATOMIC_VAR_INIT(3);
global atomic_flag flag = ATOMIC_FLAG_INIT;
constant char *constant names[] = { "ab", "cd", 0 };
constant struct { constant char *name; int value; } pairs[2] = { { "one", 1 }, { .value = 2, .name = names[0] } }; // error: must be a constant
enum big { SMALL = -1, LARGE = 0x123456789aUL, NEXT };
enum color; // error: enumeration 'color' is not defined
int many(int, float x), *several, (parenthesised)(void);
global int *global table[2] = { (global int *)0, 0 };
void effects(global int *g) { g[0]++, (g[1]--, g[2] += g[3]); (void)sizeof(g[0]++); }
kernel void k(global int *g, uint n)
{
    static global int hits = 5; static constant int limits[] = { 1, 2, 3 };
    hits += limits[n % 3]; g[0] = hits + add(1, 2) + atomic_fetch_add(&counter, 1);
    g[1] = (LARGE >> 32) + (NEXT > LARGE) + names[1][0] + __func__[0] + sizeof(enum big);
    ulong big = 18446744073709551615u, hex = 0xffffffff; long l = -9223372036854775807L - 1;
    g[2] = big + hex + l + 0777 + 'ab' + '\x41' + 1e3f + .5f + 0x.8p1f;
    g[3] = (int)(1u - 2) >> 1, g[4] = -1 < 1u, g[5] = 1 ? -1 : 1u;
    bool b = 0.5f; g[6] = b + !g + !!g; b += 5; b = g;
    effects(g + 1);
    uchar c = 300, d = c << 4; c += 1000; c = -c; g[7] = ~c + d--;
    float f = 1 / 2 + 1.0f / 3; double e = 1.0 / 3; half2 *h; g[8] = f == (float)e;
    int (*const rows)[2] = (int (*)[2])g; g[9] = rows[1][1] + (*rows)[0];
}
