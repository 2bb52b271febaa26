// options: -cl-std=CL1.2
// endian is host or device, on pointers
kernel void k(global int *p __attribute__((endian(middle)))) {} // error: endian
