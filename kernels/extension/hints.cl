// Hints that programs written for other compilers use. They compute nothing.

long __builtin_expect(long value, long expected) { return value; }
void __builtin_assume(bool condition) { }
