int f(int a, int b) { return a + b; }
kernel void k(global int *g) {
  g[0] = f(1); // error: too few arguments to function 'f': 1 given, 2 wanted
  g[1] = f(1, 2, 3); // error: too many arguments to function 'f': 3 given, 2 wanted
}
