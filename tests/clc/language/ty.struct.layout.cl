// options: -cl-std=CL1.2
// struct members with vectors keep vector alignment and match host cl_ types
struct S{float a; float3 b; short s;}; kernel void k(global struct S*p){ p->b.x=p->a; }
