foo(int a) { return a; } // error: the return type of 'foo' is missing
kernel void k(global int *g) {
  g[0] = foo(1);
}
