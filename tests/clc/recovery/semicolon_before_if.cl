kernel void k(global int *g) {
  int gid = get_global_id(0) // error: expected ';' before 'if'
  if (gid < 3) {
    g[gid] = 1;
  }
}
