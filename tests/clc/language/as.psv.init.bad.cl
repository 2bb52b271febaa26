// options: -cl-std=CL2.0
// program-scope initializers constant; address of another global ok
global int a=1; constant int * global p=&a; kernel void k(void){} // error: cannot initialize 'constant int *' from 'global int *': the address spaces do not convert
