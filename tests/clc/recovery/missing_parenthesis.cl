kernel void k(global int *g) {
  g[0] = (1 + 2; // error: expected ')' before ';'
  g[1] = 3;
  if (g[0] == 1 { // error: expected ')' before '{'
    g[2] = 1;
  }
}
