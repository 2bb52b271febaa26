// options: -cl-std=CL1.2
// pointer to intptr_t and back
kernel void k(global int*g){ intptr_t i=(intptr_t)g; uintptr_t u=(uintptr_t)g; global int*p=(global int*)(i+4); *p=u==(uintptr_t)i; }
