#define SQ(x) ((x) * (y))
#define BAD(a, b) a + b
kernel void k(global int *g) {
  g[0] = SQ(3);
  g[1] = BAD(1);
}
