// options: -cl-std=CL2.0
// no pointers to blocks, no * or & on blocks
kernel void k(void){ void (^b)(void)=^{}; void*p=&b; } // error: the address of a block cannot be taken
void f(void (^b)(void)) { (*b)(); } // error: '*' needs a pointer, not 'void (^)(void)'
void g(void (^*b)(void)) {} // error: pointers to 'void (^)(void)' are not allowed
void h(void (^b)(void)) { void *p = (void *)b; } // error: cannot cast
void i(void (^b)(void)) { void *p = b; } // error: cannot initialize
