kernel void k(global int *g) // error: expected a function body or ';' before 'g'
  g[0] = 1;
}
