__kernel void k(__global int *g) {
  __local int tmp[get_local_size(0)]; // error: variable length arrays are not supported: the size must be constant
  int n = g[0];
  float arr[n]; // error: variable length arrays are not supported: the size must be constant
  g[0] = tmp[0] + arr[0];
}
