// options: -cl-std=CL1.2
// . needs a vector
kernel void k(global float4*g){
    g.x=1; // error: 'global float4 *' has no member 'x'
}
