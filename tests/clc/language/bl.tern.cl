// options: -cl-std=CL2.0
// no blocks as ?: operands
kernel void k(int x){ void (^b)(void)=^{}; if(x) b(); }
int f(int x, int (^a)(void), int (^b)(void)) { return x ? a() : b(); }
