// The library's types in declarations of the program, before any function that uses them.
// options: -cl-std=CL2.0
// run: k args: int[3] = 0 ...
// expect: 0 = 1 1 0
bool is_known(cl_mem_fence_flags flags) {
    if (flags == CLK_LOCAL_MEM_FENCE)
        return true;
    return false;
}
kernel void k(global int *out) {
    cl_mem_fence_flags flags = CLK_LOCAL_MEM_FENCE;
    out[0] = is_known(flags);
    out[1] = true;
    out[2] = is_known(CLK_GLOBAL_MEM_FENCE) != false;
}
