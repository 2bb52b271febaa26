// options: -cl-std=CL2.0
// nothing converts from constant
kernel void k(constant int*c, global int*g){
    g[0]=to_global(c)!=0; // error: no built-in function 'to_global'
}
