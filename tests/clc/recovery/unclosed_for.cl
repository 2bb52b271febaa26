kernel void k(global int *g) {
  for (int i = 0; i < 10; i++ { // error: expected ')' before '{'
    g[i] = 1;
  }
}
