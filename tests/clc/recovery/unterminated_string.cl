kernel void k(global int *g) {
  printf("hello);
  g[0] = 1;
}
