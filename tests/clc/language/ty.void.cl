// options: -cl-std=CL1.2
// void is incomplete
void h(void){} kernel void k(void){ h(); }
