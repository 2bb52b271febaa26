kernel void k(global int *g) {
  g[0] = 1;
}
} // error: unexpected '}' at program scope
kernel void l(global int *g) { g[0] = undefined1; } // error: use of undeclared identifier 'undefined1'
