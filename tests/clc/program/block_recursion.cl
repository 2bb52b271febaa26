// options: -cl-std=CL2.0
// A block may be given to a function that called it, but nothing may call itself.
void call(void (^b)(void)) { b(); }
void once(global int *g) { call(^{ once(g); }); } // error: 'once' calls itself
void (^loop)(void) = ^{ loop(); }; // error: recursion is not supported
void b(global int *g);
void a(global int *g) { b(g); } // error: 'b' calls itself
void b(global int *g) { ^{ a(g); }(); }
kernel void fine(global int *g) { call(^{ call(^{ g[0] = 1; }); }); call(^{}); }
