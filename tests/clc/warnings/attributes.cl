// Attributes are accepted in silence unless something that was asked for is not done.
// options: -cl-std=CL1.2
__attribute__((always_inline, noinline, flatten, pure, const, used, nonnull(1), hot, cold)) int a(global int *x) { return *x; }
__attribute__((deprecated("old"), weak, visibility("hidden"), convergent, optnone, nodebug)) int b(int x) { return x; }
__attribute__((no_sanitize("address"), warn_unused_result, nothrow, __artificial__)) int c(int x) { return x; }
__attribute__((section(".text"))) int d(int x) { return x; } // warning: attribute 'section' is not supported and ignored
__attribute__((nonsense)) int e(int x) { return x; } // warning: unknown attribute 'nonsense' ignored
__attribute__((alwais_inline)) int f(int x) { return x; } // warning: did you mean 'always_inline'
[[other::thing(1, 2)]] int g(int x) { return x; } // warning: unknown attribute 'thing' ignored
__attribute__((noreturn)) void stop(void) { while (1) ; }
int h(int x) { if (x) return x; __builtin_trap(); }
int i(int x) { if (x) return x; stop(); }
kernel __attribute__((intel_reqd_sub_group_size(16))) void k(global int *x)
{
    __attribute__((unused)) int u = 1;
    __attribute__((opencl_unroll_hint(2))) while (x[0]) x[0] = a(x) + b(1) + c(1) + d(1) + e(1) + f(1) + g(1) + h(1) + i(1);
}
