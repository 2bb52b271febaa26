// options: -cl-std=CL1.2
// restrict only on pointers
kernel void k(int restrict a){} // error: 'restrict' is for pointers only
