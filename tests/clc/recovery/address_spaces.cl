void f(local int *p) { *p = 1; }
kernel void k(global int *g) {
  f(g); // error: cannot pass 'global int *' to a parameter of type 'local int *': the address spaces do not convert
  local int *q = g; // error: cannot initialize 'local int *' from 'global int *': the address spaces do not convert
  int x;
  global int *r = &x; // error: cannot initialize 'global int *' from 'int *': the address spaces do not convert
}
