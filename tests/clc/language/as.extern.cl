// options: -cl-std=CL1.2
// extern for functions and program-scope variables
extern constant int e; extern void h(void); kernel void k(void){}
