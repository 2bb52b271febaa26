kernel void k(global int *g) {
  int (*f)(int) = 0; // error: pointers to functions are not supported
  g[0] = sizeof(f);
}
void g(void) { goto l; } // error: use of undeclared label 'l'
