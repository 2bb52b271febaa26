kernel void k(global int *g) {
  char *s = "text"; // error: cannot initialize 'char *' from 'constant char *': the address spaces do not convert
  const char *t = "x"; // error: cannot initialize 'const char *' from 'constant char *': the address spaces do not convert
  constant char *u = "y";
  g[0] = u[0];
}
