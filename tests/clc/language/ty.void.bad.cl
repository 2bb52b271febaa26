// options: -cl-std=CL1.2
// void is incomplete
kernel void k(void){ void v; } // error: a variable cannot be 'void'
