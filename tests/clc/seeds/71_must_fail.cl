// options: -cl-std=CL2.0
// A by-value function parameter may not carry another space.
void h(local int x) { } // error: a parameter is private itself; the address space is not allowed here
kernel void k(void) { }
