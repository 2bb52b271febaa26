kernel void k(global int *g global int *h) { // error: expected ',' before 'global'
  g[0] = h[0];
}
