// options: -cl-std=CL1.2
// blocks rejected before 2.0
kernel void k(void){ void (^b)(void)=^{}; b(); } // error: blocks are not supported // error: blocks are not supported
