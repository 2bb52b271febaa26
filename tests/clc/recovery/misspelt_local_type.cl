kernel void k(global float *g) {
  flaot x = 1.0f; // error: unknown type name 'flaot'; did you mean 'float'?
  x = x * 2;
  g[0] = x;
}
