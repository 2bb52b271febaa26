// options: -cl-std=CL1.2
// C99 library headers not available
#include <stdio.h> // error: include file 'stdio.h' not found
kernel void k(void){}
