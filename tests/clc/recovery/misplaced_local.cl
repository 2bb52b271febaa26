kernel void k(global int *g) {
  if (g[0]) {
    local int tmp[4]; // error: a 'local' variable must be in the outermost scope of its kernel
    tmp[0] = 1;
  }
  local int x = 3; // error: a 'local' variable cannot be initialized
  constant int c = 3;
}
void f(void) { local int y; y = 1; } // error: a 'local' variable can only be declared in a kernel function
