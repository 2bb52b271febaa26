kernel void k(global float *g) {
  g[0] = clamp(g[1]); // error: no built-in function 'clamp' takes (float)
  g[1] = sqrt(g[0], 2.0f); // error: no built-in function 'sqrt' takes (float, float)
  g[2] = get_global_id(); // error: no built-in function 'get_global_id' takes ()
}
