// options: -cl-std=CL1.2
// user functions cannot be overloaded in OpenCL C
void h1(int a){} void h2(float a){} kernel void k(void){ h1(1); h2(1.0f); }
