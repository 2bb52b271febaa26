kernel void k(global int *g) {
  switch (g[0]) {
    case 1: g[0] = 2; break;
    case 1: g[0] = 3; break; // error: duplicate case value
    default: break;
    default: break; // error: more than one 'default' in a switch
  }
}
