// options: -cl-std=CL2.0
// a block cannot capture another local block
void (^b0)(void)=^{}; kernel void k(void){ void (^b)(void)=^{ b0(); }; b(); }
kernel void l(void) { ^{ void (^inner)(void) = ^{}; inner(); }(); }
