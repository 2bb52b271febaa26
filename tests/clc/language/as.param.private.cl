// options: -cl-std=CL1.2
// explicit private pointer kernel arg rejected
kernel void k(local int*a){}
