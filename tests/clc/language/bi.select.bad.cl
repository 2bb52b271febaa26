// options: -cl-std=CL1.2
// select condition width must match
kernel void k(global float4*g, global long4*c){
    g[0]=select(g[1],g[2],c[0]); // error: no built-in function 'select'
}
