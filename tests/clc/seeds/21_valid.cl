// options: -cl-std=CL2.0
// Struct, vector and array pointees convert the same way.
struct S { int a[2]; float4 v; };
void h(struct S *p) { p->a[1] = 7; p->v.x = 1.0f; }
kernel void k(global struct S *g, local struct S *l) { h(g); h(l); }
