// options: -cl-std=CL1.2
// no address space on non-pointer return type
local int *h(local int*p){ return p; } kernel void k(void){}
