// options: -cl-std=CL1.2
// endian(host|device) on global/constant pointers
kernel void k(global int*g __attribute__((endian(host))), constant int*c __attribute__((endian(device)))){ g[0]=c[0]; }
