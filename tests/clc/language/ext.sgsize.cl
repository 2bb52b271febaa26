// options: -cl-std=CL1.2
// intel_reqd_sub_group_size(n) (cl_intel_required_subgroup_size)
kernel __attribute__((intel_reqd_sub_group_size(8))) void k(void){}
