// options: -Werror
// -Werror turns warnings into errors
__attribute__((no_such_attribute)) kernel void k(global float*g){ g[0]=g[1]*2; } // error: no_such_attribute
