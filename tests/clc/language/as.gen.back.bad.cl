// options: -cl-std=CL2.0
// generic to named needs a cast
kernel void k(global int*g){ int*p=g; global int*q=p; q[0]=1; } // error: cannot initialize 'global int *' from 'int *': the address spaces do not convert
