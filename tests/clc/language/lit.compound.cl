// options: -cl-std=CL1.2
// C99 compound literals and designated initializers
struct P{int x,y;}; kernel void k(global int*g){ struct P p={.y=2,.x=1}; int a[3]={[1]=5}; g[0]=p.x+a[1]; }
