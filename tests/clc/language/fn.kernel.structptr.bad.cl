// options: -cl-std=CL1.2
// struct containing pointers not a kernel value argument
struct S { global int*p; };
kernel void k(struct S s){} // error: a member is a pointer
