kernel void k(global int *g, n) { // error: unknown type name 'n'
  g[0] = n;
}
