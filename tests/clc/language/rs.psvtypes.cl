// options: -cl-std=CL1.2
// program-scope variables of other built-in types rejected
constant int4 t=(int4)(1); kernel void k(void){}
