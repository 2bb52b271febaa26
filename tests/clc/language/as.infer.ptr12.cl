// options: -cl-std=CL1.2
// before 2.0 unqualified pointee is private
kernel void k(global int*g){ int x=1; int*p=&x; g[0]=*p; }
