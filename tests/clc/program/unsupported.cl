// options: -cl-std=CL2.0
// facts: nopipes
// What is not there yet says so.
kernel void p(read_only pipe int x) { int v; read_pipe(x, &v); } // error: needs pipes, which this device does not have
constant int s = ({ 1; }); // error: statements in an expression need a function
kernel void l(void) { long double d; _Complex int i; } // error: long double // error: reserved
void v(int n, ...) { } // error: variable arguments
int r(int n) { return n ? r(n - 1) : 0; }
