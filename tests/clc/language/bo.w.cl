// options: -w -Werror
// no warnings, so that none is an error
__attribute__((no_such_attribute)) kernel void k(global float*g){ g[0]=g[1]*2; }
