kernel int k(global int *g) { // error: a kernel must return 'void'
  g[0] = 1;
  return 0;
}
