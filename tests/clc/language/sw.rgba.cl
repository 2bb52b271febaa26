// options: -cl-std=CL1.2
// r g b a selectors
kernel void k(global float4*g){ g[0].rgb=g[1].bgr; g[0].a=g[1].r; }
