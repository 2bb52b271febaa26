// options: -cl-std=CL1.2
// struct by value ok, but not with such members
struct S{size_t a;}; kernel void k(struct S s){} // error: 'struct S' cannot be a kernel parameter: a member is 'size_t' or its like
