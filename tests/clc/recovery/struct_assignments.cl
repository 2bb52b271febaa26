typedef struct { int a; } A;
typedef struct { int a; } B;
kernel void k(global int *g) {
  A a; B b;
  a = b; // error: cannot assign 'struct B' to 'struct A'
  a.a = 1;
  g[0] = a.a;
  g[0] = a; // error: cannot assign 'struct A' to 'int'
}
