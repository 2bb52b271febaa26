// options: -cl-std=CL1.2
// constant pointer to constant pointer
kernel void k(constant int*c, global int*g){ constant int*p=c; g[0]=*p; }
