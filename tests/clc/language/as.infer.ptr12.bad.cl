// options: -cl-std=CL1.2
// before 2.0 unqualified pointee is private
kernel void k(global int*g){ int*p=g; g[0]=*p; } // error: cannot initialize 'int *' from 'global int *': the address spaces do not convert
