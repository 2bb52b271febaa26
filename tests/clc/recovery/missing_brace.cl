kernel void k(global int *g) {
  if (g[0]) {
    g[0] = 1;
} // error: expected '}' before the end of the program
