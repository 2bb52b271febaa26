// Names that are declared and never defined, and recursion.
int later(int);
int never(int);
extern constant int elsewhere;
int a(int n) { return later(n); }
int later(int n) { return n; }
int one(int n);
int two(int n) { return one(n); } // error: recursion is not supported: 'one'
int one(int n) { return n ? two(n - 1) : 0; }
kernel void k(global int *g) { g[0] = a(1) + never(2) + elsewhere; } // error: undefined reference to function 'never' // error: undefined reference to variable 'elsewhere'
