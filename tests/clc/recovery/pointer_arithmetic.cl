kernel void k(global int *g, global float *h) {
  g[0] = g + h; // error: invalid operands to '+': 'global int *' and 'global float *'
  g[1] = g * 2; // error: invalid operands to '*': 'global int *' and 'int'
  g[1.5f] = 2; // error: cannot subscript 'global int *' with 'float'
  g[0] = &g[1]; // error: cannot assign 'global int *' to 'int'
  int *p = 5; // error: cannot initialize 'int *' from 'int'
}
