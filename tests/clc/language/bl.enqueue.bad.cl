// options: -cl-std=CL2.0
// what is called may not call itself, not by way of another function either
void f(global int *g, int n) { void (^b)(void) = ^{ f(g, n - 1); }; if (n > 0) b(); } // error: recursion is not supported
void call(void (^b)(void)) { b(); }
void h(global int *g, int n) { call(^{ h(g, n - 1); }); } // error: recursion is not supported
void i(void);
void (^constant at_scope)(void) = ^{ i(); }; // error: recursion is not supported
void i(void) { at_scope(); }
kernel void k(global int *g) { f(g, 3); h(g, 3); i(); }
