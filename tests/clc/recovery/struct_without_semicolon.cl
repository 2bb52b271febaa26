struct S { int a; int b; } // error: expected ';' after this definition
kernel void k(global int *g) {
  struct S s;
  s.a = 1;
  g[0] = s.a;
}
