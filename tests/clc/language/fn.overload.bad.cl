// options: -cl-std=CL1.2
// user functions cannot be overloaded in OpenCL C
void h(int a){} void h(float a){} kernel void k(void){} // error: conflicting types for 'h'; functions cannot be overloaded
