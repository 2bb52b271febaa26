kernel k(global int *g) { // error: the return type of 'k' is missing
  g[0] = 1;
}
