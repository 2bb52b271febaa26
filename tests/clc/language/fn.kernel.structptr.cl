// options: -cl-std=CL1.2
// struct by value
struct S { int a; float4 b; }; kernel void k(struct S s, global int*g){ g[0]=s.a; }
