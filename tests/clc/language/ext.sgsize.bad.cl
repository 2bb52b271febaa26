// options: -cl-std=CL2.0
// Sizes that no sub-group has (cl_intel_required_subgroup_size)
#ifndef cl_intel_required_subgroup_size
#error no macro
#endif
#pragma OPENCL EXTENSION cl_intel_required_subgroup_size : enable
kernel __attribute__((intel_reqd_sub_group_size(64))) void a(void){}
kernel __attribute__((intel_reqd_sub_group_size(128))) void b(void){} // error: the size of a sub-group is a power of two up to 64
kernel __attribute__((intel_reqd_sub_group_size(0))) void c(void){} // error: the size of a sub-group is a power of two up to 64
kernel __attribute__((intel_reqd_sub_group_size(12))) void d(void){} // error: the size of a sub-group is a power of two up to 64
kernel __attribute__((intel_reqd_sub_group_size(8), intel_reqd_sub_group_size(16))) void e(void){} // error: conflicts
