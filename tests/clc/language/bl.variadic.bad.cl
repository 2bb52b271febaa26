// options: -cl-std=CL2.0
// no variadic blocks, no __block
kernel void k(global int *g) {
    ^(int x, ...) {}(1); // error: variable arguments are not supported
    __block int y = 1; // error: '__block' is reserved
}
int (^b)(int, ...) = ^(int x) { return x; }; // error: variable arguments are not supported
