// options: -cl-std=CL1.2
// as_float3(float4) allowed; 3 and 4 component share size
kernel void k(global float4*g){ float3 v=as_float3(g[0]); g[1]=as_float4(v); }
