// options: -cl-std=CL2.0
// NULL and 0 usable with every space
kernel void k(global int*g, local int*l){ global int*a=NULL; local int*b=0; constant int*c=NULL; private int*d=0; int*e=NULL; g[0]=(a==NULL)+(l==0)+(b==NULL)+(c==0)+(d==NULL)+(e==0); }
