// options: -cl-std=CL1.2
// no pointer-to-pointer kernel args before 2.0
kernel void k(global int*g){ int x; int*p=&x; int**q=&p; g[0]=**q; }
