// Built-in functions of clang that say something to the compiler, and those that end a kernel.

long __builtin_expect(long value, long expected) { return value; }
long __builtin_expect_with_probability(long value, long expected, double probability) { return value; }
long __builtin_unpredictable(long value) { return value; }
void __builtin_assume(bool condition) { }
void __builtin_prefetch(const __readable void *p) { }
void __builtin_prefetch(const __readable void *p, int write) { }
void __builtin_prefetch(const __readable void *p, int write, int locality) { }

__readable void *__builtin_assume_aligned(const __readable void *p, size_t alignment)
{
    return (__readable void *)p;
}
__readable void *__builtin_assume_aligned(const __readable void *p, size_t alignment, size_t offset)
{
    return (__readable void *)p;
}

// Nothing happens where control cannot come, even if it comes there.
__end void __builtin_unreachable(void) { }

// A fault, which ends the launch.
__end __op(trap) void __builtin_trap(void);
__op(trap) void __builtin_debugtrap(void);
