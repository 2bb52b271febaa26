kernel void k(global int *g) {
  int a[3] = {1, 2, 3, 4}; // error: too many values in the initializer
  int b[2] = {1 2}; // error: expected ',' or '}' before '2'
  g[0] = a[0] + b[0];
}
