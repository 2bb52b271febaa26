void f(void) {}
kernel void k(global int *g) {
  g[0] = f(); // error: cannot assign 'void' to 'int'
  int x = f() + 1; // error: invalid operands to '+': 'void' and 'int'
}
