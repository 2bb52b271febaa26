// options: -cl-std=CL1.2
// pointers to functions not allowed
int f(int x){ return x; }
kernel void k(global int*g){
    int (*p)(int); // error: pointers to functions are not supported
    g[0]=(long)&f; // error: pointers to functions are not supported
}
