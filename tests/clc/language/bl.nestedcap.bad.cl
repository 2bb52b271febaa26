// options: -cl-std=CL2.0
// a block cannot capture another local block
kernel void k(void){ void (^a)(void)=^{}; void (^b)(void)=^{ a(); }; b(); } // error: a block cannot capture 'a', which is a block
void f(void (^a)(void)) { ^{ a(); }(); } // error: a block cannot capture 'a'
void g(void) { void (^self)(void) = ^{ self(); }; } // error: a block cannot capture 'self'
void h(void (^a)(void)) { ^{ ^{ a(); }(); }(); } // error: a block cannot capture 'a'
