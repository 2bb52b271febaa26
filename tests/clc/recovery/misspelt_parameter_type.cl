kernel void k(global flaot4 *g, global int *h) { // error: unknown type name 'flaot4'; did you mean 'float4'?
  g[0] = (float4)(1.0f);
  h[0] = 2;
}
