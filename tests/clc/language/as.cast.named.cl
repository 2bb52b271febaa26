// options: -cl-std=CL1.2
// a cast within a space
kernel void k(global int*g){ global float*f=(global float*)g; f[0]=1; }
