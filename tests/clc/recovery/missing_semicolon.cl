kernel void k(global int *g) {
  int a = 1 // error: expected ';' before 'g'
  g[0] = a;
}
