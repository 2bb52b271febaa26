// options: -Werror
kernel void k(global int *g) { int unused; g[0] = 1; } // error: unused variable 'unused'
