// options: -cl-std=CL1.2
// size_t ptrdiff_t intptr_t uintptr_t follow CL_DEVICE_ADDRESS_BITS
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ size_t s=sizeof(int); intptr_t i=(intptr_t)g; ptrdiff_t d=&g[1]-&g[0]; uintptr_t u=(uintptr_t)g; g[0]=(int)(s+d)+(i==(intptr_t)u); }
