// options: -cl-std=CL2.0
// generic to named needs a cast
kernel void k(global int*g){ int*p=g; global int*q=(global int*)p; q[0]=1; }
