// options: -w
static int never(int x) { return x; }
int missing(int x) { }
kernel void k(global int *g) { int unused; char c = 300; g[0]; if (get_local_id(0)) barrier(0); }
