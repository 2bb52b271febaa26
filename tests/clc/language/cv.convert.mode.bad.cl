// options: -cl-std=CL1.2
// no other mode
kernel void k(global int4*g, global float4*f){
    g[0]=convert_int4_rta(f[0]); // error: undeclared
}
