// options: -cl-std=CL1.2
// no function named main
void mainx(void){} kernel void k(void){}
