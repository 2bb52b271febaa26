#inculde "x.h" // error: unknown preprocessing directive '#inculde'; did you mean 'include'?
#defin X 3 // error: unknown preprocessing directive '#defin'; did you mean 'define'?
#pragma OPENCL EXTENSION cl_khr_pf64 : enable // warning: extension 'cl_khr_pf64' is not supported; did you mean 'cl_khr_fp64'?
kernel void k(global int *g) {
  g[0] = X; // error: use of undeclared identifier 'X'
}
