// options: -cl-std=CL1.2
// auto and register unsupported
kernel void k(global int*g){
    auto int x=1; // error: storage classes are not supported
    register int y=1; // error: storage classes are not supported
    g[0]=x+y;
}
