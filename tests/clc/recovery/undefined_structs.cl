kernel void k(global int *g) {
  struct T t; // error: 'struct T' is not defined
  struct U *u;
  u->x = 1; // error: 'struct U' is not defined
  t.x = 1; // error: 'struct T' is not defined
}
