kernel void k(global int *g) {
  g[0] = 1 // error: expected ';' before 'g'
  g[1] = 2;
}
