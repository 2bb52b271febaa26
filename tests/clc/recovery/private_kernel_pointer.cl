kernel void k(int *p, global int *g) { // error: a pointer parameter of a kernel must point to global, local or constant
  g[0] = *p;
}
