// options: -cl-std=CL1.2
// no result to constant
kernel void k(global float*g, constant float*c){
    g[0]=fract(g[1],c); // error: no built-in function 'fract'
}
