// options: -cl-std=CL1.2
// mix scalars and vectors in any order
kernel void k(global float4*g){ float2 v=(float2)(1,2); g[0]=(float4)(v,3,4); g[1]=(float4)(1,v,4); g[2]=(float4)(v,v); g[3]=(float4)((float3)(1,v),2); }
