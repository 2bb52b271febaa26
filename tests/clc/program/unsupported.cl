// options: -cl-std=CL2.0
// What is not there yet says so.
kernel void p(read_only pipe int x) { } // error: pipes are not supported // error: an access qualifier
void b(void) { void (^f)(void) = ^{ }; } // error: blocks are not supported // error: blocks are not supported
int s(void) { return ({ 1; }); } // error: statements inside expressions
kernel void l(void) { long double d; _Complex int i; } // error: long double // error: reserved
void v(int n, ...) { } // error: variable arguments
int r(int n) { return n ? r(n - 1) : 0; }
