// options: -cl-std=CL1.2
// no image variables, members, arrays, pointers
struct S{ image2d_t i; }; kernel void k(void){} // error: a member cannot have this type
