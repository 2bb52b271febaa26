kernel void k(global int *g) {
  float4 v = (float4)(1, 2, 3); // error: too few components for 'float4': 3
  v.xyzq = v; // error: 'float4' has no component 'xyzq': it is not a selector
  v.x5 = 1; // error: 'float4' has no component 'x5': it is not a selector
  g[0] = v.w.x; // error: 'float' has no member 'x'
}
