kernel void k(global int *g) {
  int a = 1;
  float a = 2; // error: redefinition of 'a'
  g[0] = a;
}
int f(int x) { return x; }
int f(int x) { return x + 1; } // error: redefinition of 'f'
