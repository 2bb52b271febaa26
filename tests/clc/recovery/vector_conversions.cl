kernel void k(global float4 *g) {
  double4 d = g[0]; // error: cannot initialize 'double4' from 'float4'
  int4 i = g[0]; // error: cannot initialize 'int4' from 'float4'
  g[0] = (float4)i; // error: cannot cast 'int4' to 'float4'; use convert_ or as_
  float f = g[0]; // error: cannot initialize 'float' from 'float4'
  if (g[0]) {} // error: a condition must be a scalar, not 'float4'
}
