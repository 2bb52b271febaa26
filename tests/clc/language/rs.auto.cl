// options: -cl-std=CL1.2
// no storage class is automatic storage
kernel void k(global int*g){ int x=1; g[0]=x; }
