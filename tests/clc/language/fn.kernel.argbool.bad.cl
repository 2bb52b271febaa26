// options: -cl-std=CL1.2
// bool kernel argument rejected
kernel void k(bool b){} // error: a kernel parameter cannot be 'bool'
