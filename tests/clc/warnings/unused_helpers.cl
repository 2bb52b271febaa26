// Helpers that nobody calls are nothing to be told of, unless somebody asks (-Wall): hosts show every log that is not empty.
static int never(int x) { return x; }
kernel void k(global int *g) { g[0] = 1; }
