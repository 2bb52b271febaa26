int f(int);
float f(float x) { return x; } // error: conflicting types for 'f'; functions cannot be overloaded
kernel void k(global float *g) {
  g[0] = f(1.0f);
}
