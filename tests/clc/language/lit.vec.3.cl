// options: -cl-std=CL1.2
// 3-component pieces fill only three lanes
kernel void k(global float4*g){ float3 v=(float3)(1,2,3); g[0]=(float4)(v,4); g[1]=(float4)(0,v); }
