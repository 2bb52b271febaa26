// options: -cl-std=CL2.0
// blocks rejected before 2.0
kernel void k(void){ void (^b)(void)=^{}; b(); }
