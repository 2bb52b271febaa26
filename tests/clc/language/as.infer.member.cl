// options: -cl-std=CL1.2
// struct members carry no address space
struct S{ global int*p; }; kernel void k(global int*g){ struct S s; s.p=g; s.p[0]=1; }
