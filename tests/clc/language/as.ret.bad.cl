// options: -cl-std=CL1.2
// no address space on non-pointer return type
private int h(void){ return 1; } kernel void k(void){} // error: an address space on a returned value; it may only be on what a pointer points at
