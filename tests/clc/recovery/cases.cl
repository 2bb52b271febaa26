kernel void k(global int *g) {
  int x = 5;
  switch (x) {
    case 1 // error: expected ':' before 'g'
      g[0] = 1;
      break;
    case x: // error: a case value must be constant
      g[0] = 2;
  }
}
