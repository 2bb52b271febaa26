// options: -cl-std=CL1.2
// __kernel_exec(X,T) macro
__kernel_exec(8,float4) void k(global float4*p){ p[0]=1.0f; }
