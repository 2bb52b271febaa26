// options: -cl-std=CL1.2
// select condition as wide as the values
kernel void k(global float4*g, global int4*c, global uint4*u){ g[0]=select(g[1],g[2],c[0]); g[1]=select(g[1],g[2],u[0]); }
