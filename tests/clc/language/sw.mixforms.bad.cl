// options: -cl-std=CL1.2
// cannot mix letter and number selectors
kernel void k(global float4*g){
    g[0].xs1=g[1].xy; // error: 'float4' has no component 'xs1'
    g[0].s0y=g[1].xy; // error: 'float4' has no component 's0y'
}
