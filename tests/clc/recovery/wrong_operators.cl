kernel void k(global int *g) {
  int x = 1;
  x.foo = 2; // error: 'int' has no member 'foo'
  x[0] = 1; // error: 'int' cannot be subscripted
  x(); // error: this is not a function
  *x = 3; // error: '*' needs a pointer, not 'int'
  &1; // error: the address of a value cannot be taken
}
