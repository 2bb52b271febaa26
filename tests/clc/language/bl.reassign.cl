// options: -cl-std=CL2.0
// block variables implicitly const
kernel void k(void){ void (^b)(void)=^{}; b(); }
void f(void (^b)(void)) { void (^c)(void) = b; c(); }
