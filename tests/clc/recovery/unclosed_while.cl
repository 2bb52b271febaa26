kernel void k(global int *g) {
  while (g[0] { // error: expected ')' before '{'
    g[1] = 1;
  }
  g[2] = 3;
}
