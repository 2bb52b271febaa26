// options: -cl-std=CL2.0
// facts: nosubgroups
// nothing without the extension
kernel void k(global int*g){
    g[0]=get_sub_group_size(); // error: needs the extension cl_khr_subgroups
}
