// options: -cl-std=CL1.2
// user variadic functions not supported
void h(int a, ...){} kernel void k(void){} // error: functions with variable arguments are not supported
