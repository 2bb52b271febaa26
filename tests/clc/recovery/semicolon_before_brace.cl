kernel void k(global int *g) {
  g[0] = 1 // error: expected ';' before '}'
}

kernel void l(global int *g) {
  g[0] = 1;
}
