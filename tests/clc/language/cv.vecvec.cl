// options: -cl-std=CL1.2
// vectors convert by convert_
kernel void k(global float4*g, global int4*h){ g[0]=convert_float4(h[0]); }
