// options: -cl-std=CL1.2
// r g b a selectors do not mix with x y z w
kernel void k(global float4*g){
    g[0].rx=g[1].xy; // error: 'float4' has no component 'rx'
}
