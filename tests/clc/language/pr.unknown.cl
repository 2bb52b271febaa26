// options: -cl-std=CL1.2
// unknown pragmas ignored
#pragma no_such_thing 1 2 (
#pragma OPENCL no_such_thing on
kernel void k(void){ _Pragma("unroll") for(int i=0;i<2;++i); }
