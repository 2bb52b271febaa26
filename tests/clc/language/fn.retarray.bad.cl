// options: -cl-std=CL1.2
// no arrays as results
typedef int A[3];
A f(void); // error: a function cannot return an array
