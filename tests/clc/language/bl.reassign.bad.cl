// options: -cl-std=CL2.0
// block variables implicitly const
kernel void k(void){ void (^b)(void)=^{}; b=^{}; } // error: a block variable is 'const'
void f(void (^b)(void)) { b = ^{}; } // error: a block variable is 'const'
int (^g)(void) = ^{ return 1; };
void h(void) { g = ^{ return 2; }; } // error: a block variable is 'const'
