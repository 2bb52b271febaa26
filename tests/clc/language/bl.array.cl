// options: -cl-std=CL2.0
// no arrays of blocks, no block members
kernel void k(void){ void (^b)(void)=^{}; b(); }
