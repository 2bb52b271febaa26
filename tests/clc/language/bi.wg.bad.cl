// options: -cl-std=CL2.0
// scalars only
kernel void k(global int*g){
    g[0]=work_group_reduce_add((int2)(1)).x; // error: no built-in function 'work_group_reduce_add'
}
