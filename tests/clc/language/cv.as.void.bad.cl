// options: -cl-std=CL1.2
// as_type not for bool, void, or size_t-like
kernel void k(global int*g){
    g[0]=as_bool(1); // error: undeclared
    as_void(1); // error: undeclared
    g[1]=as_size_t(1L); // error: undeclared
}
