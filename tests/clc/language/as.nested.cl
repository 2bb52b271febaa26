// options: -cl-std=CL2.0
// no implicit space change in nested pointers
kernel void k(void){ local int*local*ll; local int*local*m; ll=m; }
