kernel void k(global const int *g, constant int *c) {
  const int n = 3;
  n = 4; // error: cannot write to something 'const'
  g[0] = 1; // error: cannot write to something 'const'
  c[0] = 2; // error: cannot write to the constant address space
}
