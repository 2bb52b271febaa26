int f(int a, int a) { return a; } // error: redefinition of 'a'
kernel void k(global int *g) { int g = 1; { int g = 2; } } // error: redefinition of 'g'
