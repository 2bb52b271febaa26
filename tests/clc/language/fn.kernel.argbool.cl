// options: -cl-std=CL1.2
// bool kernel argument rejected
kernel void k(int b){}
