kernel void k(global int *g) {
  break; // error: 'break' outside of a loop or switch
  continue; // error: 'continue' outside of a loop
  case 1: g[0] = 1; // error: 'case' outside of a switch
}
