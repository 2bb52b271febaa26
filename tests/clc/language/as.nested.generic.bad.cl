// options: -cl-std=CL2.0
// pointer to generic pointer not compatible with pointer to named pointer
kernel void k(void){ int*local*nl; local int*local*ll; ll=nl; } // error: cannot assign 'int *local *' to 'local int *local *': the address space of a nested pointer differs
