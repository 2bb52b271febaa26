// options: -cl-std=CL1.2
// bool true cast to int vector gives all bits set
kernel void k(global int4*g){ g[0]=(int4)(bool)g[1].x; }
