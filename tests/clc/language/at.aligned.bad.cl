// options: -cl-std=CL1.2
// aligned(n), n power of two
struct S{short s;} __attribute__((aligned(3))); kernel void k(void){} // error: alignment must be a power of two
