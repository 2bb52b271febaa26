// options: -cl-std=CL2.0
// no implicit space change in nested pointers
kernel void k(void){ local int*local*ll; global int*local*gl; ll=gl; } // error: cannot assign 'global int *local *' to 'local int *local *': the address space of a nested pointer differs
