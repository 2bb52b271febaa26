// options: -cl-std=CL1.2
// event_t not a struct or union member
struct S{ event_t e; }; kernel void k(void){} // error: a member cannot have this type
