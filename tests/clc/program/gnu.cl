// What programs written for clang and GNU C use beyond the specification.
// options: -cl-std=CL1.2
typedef float quads __attribute__((ext_vector_type(4)));
typedef __attribute__((__vector_size__(16))) int ints;
typedef uchar bytes __attribute__((vector_size(8)));
quads sum(quads a, float4 b) { return a + b; }
_Static_assert(sizeof(quads) == 16 && sizeof(ints) == 16 && sizeof(bytes) == 8, "sizes");
_Static_assert(1);
struct tail { int n; int rest[]; };
struct none { int n; char rest[0]; };
_Static_assert(sizeof(struct tail) == 4 && sizeof(struct none) == 4, "no room");
union open { int n; int all[]; };
struct checked { int a; _Static_assert(sizeof(int) == 4, "in a struct"); int b; };
struct aligned { char c; _Alignas(16) int i; _Alignas(double) char d; };
_Static_assert(__builtin_offsetof(struct aligned, i) == 16, "");
_Static_assert(__builtin_offsetof(struct aligned, d) == 24, "");
struct nested { int x; struct { int y[4]; } in[3]; };
_Static_assert(__builtin_offsetof(struct nested, in[2].y[1]) == 40, "");
_Static_assert(_Alignof(int4) == 16 && __alignof__(struct aligned) == 16 && __alignof(char) == 1, "");
_Static_assert(__builtin_types_compatible_p(int, const int) && !__builtin_types_compatible_p(int, uint), "");
_Static_assert(__builtin_types_compatible_p(__typeof__(1 + 1L), long), "");
_Static_assert(__builtin_constant_p(3 * 4) && __builtin_choose_expr(1, 5, "no") == 5, "");
_Static_assert(_Generic(1.0f, int: 1, float: 2, default: 3) == 2, "");
_Static_assert(_Generic((char)1, int: 1, float: 2, default: 3) == 3, "");
_Static_assert(0b1011 == 11, "");
constant int table[8] = { [0 ... 3] = 7, [5] = 2, 3 };
constant struct { int a, b; } old = { b: 2, a: 1 };
__extension__ typedef long wide;
_Noreturn void never(void);
__attribute__((noreturn)) void stop(int x) { while (1) ; }
static __inline__ __attribute__((always_inline, const)) int twice(int x) { return x * 2; }
int with_end(int x) { if (x) return 1; __builtin_unreachable(); }
int with_stop(int x) { if (x) return 1; stop(x); }
[[maybe_unused]] static int unused_one(void) { return 1; }
[[nodiscard]] [[gnu::pure]] int marked([[maybe_unused]] int a, int b [[maybe_unused]]) { return 0; }
enum colour { RED __attribute__((deprecated)), GREEN = 4 };
kernel __attribute__((amdgpu_flat_work_group_size(1, 64))) void k(global int *g, global struct tail *t, constant float *c)
{
    __typeof__(g[0]) x = 1, y = 2;
    typeof(g) p = g;
    __typeof__(*g) *q = g;
    __typeof__(*c) f = *c;
    __typeof(int[4]) a = { 1, 2 };
    f += 1;
    __auto_type z = x + 1.5f;
    __auto_type const r = g + 1, s = 2L;
    _Static_assert(__builtin_types_compatible_p(__typeof__(z), float), "");
    _Static_assert(sizeof(s) == 8, "");
    const __volatile__ int v = 1;
    g[0] = t->rest[2] + y ?: x;
    g[1] = sum((quads)(1, 2, 3, 4), (float4)1).x + twice(4);
    switch (x) {
    case 1 ... 5: g[2] = 1; [[fallthrough]];
    case 7: g[3] = 1; __attribute__((fallthrough));
    case -4 ... -2: break;
    }
#pragma unroll 4
    for (int i = 0; i < 4; i++) { _Pragma("clang loop vectorize(enable)") g[i]++; }
#pragma GCC diagnostic push
#pragma clang loop unroll(full)
    [[clang::unroll]] for (int i = 0; i < 4; i++) ;
    [[likely]] g[0] = *r + (int)z + a[0] + *p + *q + (int)f + v + table[0] + old.a;
    goto end;
end: __attribute__((unused));
    g[5] = ({ __typeof__(x) t = x; t + 1; });
    constant char *name = __func__;
    g[6] = name[0] + __FUNCTION__[0] + __PRETTY_FUNCTION__[0];
}
