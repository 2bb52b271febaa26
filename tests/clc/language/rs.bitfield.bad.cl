// options: -cl-std=CL1.2
// bit-field members unsupported
struct S{int a:3;}; kernel void k(void){} // error: bit-fields are not supported
