kernel void k(global int *g { // error: expected ')' before '{'
  g[0] = 1;
}
