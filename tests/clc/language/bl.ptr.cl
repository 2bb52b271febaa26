// options: -cl-std=CL2.0
// no pointers to blocks, no * or & on blocks
kernel void k(void){ void (^b)(void)=^{}; b(); }
