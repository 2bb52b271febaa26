// options: -cl-std=CL1.2
// user variadic functions not supported
void h(int a){} kernel void k(void){ h(1); }
