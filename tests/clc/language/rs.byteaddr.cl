// options: -cl-std=CL1.2
// sub-32-bit stores need 1.1 or cl_khr_byte_addressable_store
kernel void k(global char*p){ p[0]=1; }
