// options: -cl-std=CL1.2
// integer divide by zero: unspecified value, no trap
kernel void k(global int*g){ int z=0; g[0]=g[1]/z+g[2]%z+INT_MIN/-1; }
