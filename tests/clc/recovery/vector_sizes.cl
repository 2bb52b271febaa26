kernel void k(global float4 *g, global float2 *h) {
  g[0] = g[1] + h[0]; // error: invalid operands to '+': 'float4' and 'float2': the vectors have different numbers of components
  g[0] = h[0]; // error: cannot assign 'float2' to 'float4'
  g[1] = (float4)(1.0f, 2.0f); // error: too few components for 'float4': 2
  g[2].xyz = h[0]; // error: cannot assign 'float2' to 'float3'
}
