kernel void k(global int *g) {
  g[0] = max(1, 2.0f); // error: the call of 'max' is ambiguous with (int, float)
  g[0] = max(1, 1u); // error: the call of 'max' is ambiguous with (int, uint)
  g[1] = dot((float4)(1), (float2)(1)); // error: no built-in function 'dot' takes (float4, float2)
  vstore4(g[0], 0, g);
  barrier(); // error: no built-in function 'barrier' takes ()
  atomic_add(g[0], 1); // error: no built-in function 'atomic_add' takes (int, int)
}
