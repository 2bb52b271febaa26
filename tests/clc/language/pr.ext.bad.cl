// options: -cl-std=CL1.2 -Werror
// one that is not there
#pragma OPENCL EXTENSION cl_no_such_thing : enable // error: cl_no_such_thing
kernel void k(void){}
