// options: -cl-std=CL1.2
// an array of open size can only be the last member: accepted there, as by other compilers
struct S{int a[]; int n;}; kernel void k(void){} // error: must be the last member
