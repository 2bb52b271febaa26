// options: -cl-std=CL2.0
// generic/__generic reserved; not identifiers
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ int generic = 1; g[0]=generic; } // error: 'generic' is a reserved word and cannot be declared // error: unexpected 'generic' in an expression
