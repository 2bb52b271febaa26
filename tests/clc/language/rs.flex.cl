// options: -cl-std=CL1.2
// flexible array members are unsupported by the text, and accepted
struct S{int n; int a[];}; kernel void k(global struct S*s){ s->n=1; s->a[2]=3; }
