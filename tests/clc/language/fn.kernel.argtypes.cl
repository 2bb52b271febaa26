// options: -cl-std=CL1.2
// no bool size_t ptrdiff_t intptr_t uintptr_t kernel args
kernel void k(int a, float4 b, ulong c){}
