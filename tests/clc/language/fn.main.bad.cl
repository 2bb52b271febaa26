// options: -cl-std=CL1.2
// no function named main
kernel void main(void){} // error: a function cannot be named 'main'
