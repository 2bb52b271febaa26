kernel void k(global int *g) {
  if g[0] > 1 { // error: expected '(' before 'g'
    g[0] = 1;
  }
  for i in range(3): // error: expected '(' before 'i'
    g[i] = 1
}
