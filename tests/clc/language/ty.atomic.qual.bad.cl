// options: -cl-std=CL2.0
// _Atomic keyword unsupported
kernel void k(global _Atomic int *a){} // error: '_Atomic' is reserved
