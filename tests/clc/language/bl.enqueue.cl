// options: -cl-std=CL2.0
// what is only enqueued may enqueue itself
void f(global int *g, int n) { void (^b)(void) = ^{ f(g, n - 1); }; if (n > 0) enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), b); }
void h(void);
void (^constant at_scope)(void) = ^{ h(); };
void h(void) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), at_scope); }
kernel void k(global int *g) { f(g, 3); h(); }
