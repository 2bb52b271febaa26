kernel void k(global int *g, global int *h);
kernel void k(global int *g) { g[0] = 1; } // error: conflicting types for 'k'; functions cannot be overloaded
