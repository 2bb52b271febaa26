// options: -cl-std=CL1.2
// no implicit function declaration
kernel void k(global int*g){
    g[0]=f(1); // error: undeclared
}
