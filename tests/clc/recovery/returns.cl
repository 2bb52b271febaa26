kernel void k(global int *g) {
  return 1; // error: this function returns nothing
}
int f(void) { return; } // error: this function must return a value
