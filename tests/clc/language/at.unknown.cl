// options: -cl-std=CL1.2
// unknown attributes tolerated with a warning
__attribute__((no_such_attribute)) void f(void){} // warning: no_such_attribute
kernel __attribute__((other(1, 2))) void k(void){ f(); } // warning: other
