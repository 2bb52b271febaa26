// options: -cl-std=CL1.2
// flexible array members unsupported
struct S{int n; int a[];}; kernel void k(void){} // error: flexible array members are not supported
