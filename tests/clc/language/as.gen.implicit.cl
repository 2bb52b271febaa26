// options: -cl-std=CL2.0
// named (not constant) pointers convert implicitly to generic
void h(int*a){ *a+=2; } kernel void k(local int*l, global int*g){ int p=1; h(l); h(g); h(&p); }
