kernel void k(global int *g) {
  if (g[0]) g[1] = 1; g[2] = 2;
  else g[3] = 3; // error: 'else' without 'if'
}
