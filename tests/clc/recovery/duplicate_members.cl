struct P { int a; float a; }; // error: duplicate member 'a'
struct P { int b; }; // error: redefinition of 'P'
enum { A, B, A }; // error: redefinition of 'A'
typedef int T;
typedef float T; // error: redefinition of 'T'
kernel void k(global int *g, int g) { g[0] = 1; } // error: redefinition of 'g'
