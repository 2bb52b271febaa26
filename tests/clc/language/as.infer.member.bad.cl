// options: -cl-std=CL1.2
// struct members carry no address space
struct S{ global int x; }; kernel void k(void){} // error: a member of a struct has no address space of its own
