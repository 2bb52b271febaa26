// options: -cl-std=CL1.2
// sizes must be equal
kernel void k(global int4*g){
    short4 s=as_short4(g[0]); // error: no built-in function 'as_short4' takes (int4)
}
