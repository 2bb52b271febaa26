// options: -cl-std=CL2.0
// no variadic blocks, no __block
kernel void k(global int *g) { int (^b)(int, int) = ^(int x, int y) { return x + y; }; g[0] = b(1, 2); }
