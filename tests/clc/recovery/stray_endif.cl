kernel void k(global int *g) {
  g[0] = 1;
}
#endif
