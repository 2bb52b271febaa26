// options: -cl-std=CL1.2
// flags - + space # 0, width, precision
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%-5d|%+d|% d|%#x|%05d|%8.3f\n",1,2,3,4,5,1.5f); }
