// options: -cl-std=CL1.2
// 3-component vectors occupy 4 elements
constant int a[sizeof(int3)==12 ? 1 : -1] = {0}; // error: the size of an array is negative
