// options: -cl-std=CL1.2
// no bool size_t ptrdiff_t intptr_t uintptr_t kernel args
kernel void k(size_t n){} // error: a kernel parameter cannot be 'size_t' or its like: the host's may differ
