// options: -cl-std=CL1.2
// #define, function-like macros, # ##, #if/#ifdef/#elif/#else, defined(), #line, #error, #include
#error stop // error: #error stop
kernel void k(void){}
