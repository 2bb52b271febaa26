// options: -cl-std=CL2.0
// functions may take and return generic pointers
int*f(int*p,int n){ return n?p:p+1; } kernel void k(global int*g, local int*l){ *f(g,1)=*f(l,0); }
