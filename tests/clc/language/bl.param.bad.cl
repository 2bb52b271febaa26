// options: -cl-std=CL2.0
// blocks cannot be function results (nor parameters per restriction text)
typedef int (^bt)(void); bt h(void); kernel void k(void){} // error: a function cannot return a block
int (^f(void))(int); // error: a function cannot return a block
kernel void p(bt b) {} // error: a kernel parameter cannot be a block
kernel void q(global int *g) {
    ^{ return ^{}; }; // error: a block cannot return a block
    ^bt { return ^{ return 1; }; }; // error: a function cannot return a block
}
