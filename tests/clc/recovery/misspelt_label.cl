kernel void k(global int *g) {
  goto don; // error: use of undeclared label 'don'
 done:
  g[0] = 1;
}
