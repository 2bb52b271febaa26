// options: -cl-std=CL2.0
// named (not constant) pointers convert implicitly to generic
void h(int*a){} kernel void k(constant int*c){ h(c); } // error: cannot pass 'constant int *' to a parameter of type 'int *': the address spaces do not convert
