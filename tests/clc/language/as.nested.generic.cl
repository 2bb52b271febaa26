// options: -cl-std=CL2.0
// pointer to generic pointer not compatible with pointer to named pointer
kernel void k(void){ int*local*nl; local int*local*ll; ll=(local int*local*)nl; }
