// options: -cl-std=CL2.0
// no blocks as ?: operands
kernel void k(int x){ void (^a)(void)=^{}; void (^b)(void)=^{}; (x?a:b)(); } // error: a block cannot be an operand of '?:'
int f(int x, int (^a)(void)) { int (^c)(void) = x ? a : ^{ return 1; }; return c(); } // error: a block cannot be an operand of '?:'
