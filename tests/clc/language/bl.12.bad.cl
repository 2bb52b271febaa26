// options: -cl-std=CL1.2
// blocks rejected before 2.0
kernel void k(void){ void (^b)(void)=^{}; b(); } // error: blocks need OpenCL C 2.0
void f(void (^b)(void)) { b(); }
