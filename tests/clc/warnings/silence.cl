// options: -cl-std=CL2.0
// What programs mean and compilers often get wrong: no warning here.
typedef struct { float x, y; } P;
#define CHECK(c) if (c) return
#define LOOP for (;;)
float fabs2(float x) { union { float f; int i; } u; u.f = x; u.i &= 0x7fffffff; return u.f; }
int sw(int x) {
  switch (x) { case 0: { return 1; } case 1: if (x) return 2; else return 3; default: break; }
  do { if (x > 3) return 4; x++; } while (1);
}
int nested(int x) { for (int i = 0; ; i++) { for (;;) { break; } if (i > x) return i; } }
int tern(int x) { return x ? 1 : 2; }
int only_macro(int x) { LOOP { CHECK(x) 1; x++; } }
constant int table[] = { 1, 2, 3 };
constant char *names = "abc";
kernel void k(global int *g, global float *f, local float *l, int n, float4 v) {
  const int lid = get_local_id(0), gid = get_global_id(0);
  uchar mask = ~0; ushort s = -1; char neg = -1; uchar hex = 0xff; short big = 0x7fff; uint all = ~0u; ulong ll = -1; int mini = 0x80000000; int shifted = 1 << 31; long sl = 1l << 63;
  char c = 'a'; uchar c2 = '\xff'; char c3 = '\xff';
  float half_ = 0.5, big2 = 16777216, e = 1e10; int fl = 1e3; int fl2 = 3.0f; uint fu = 4.0;
  mask &= 300; mask |= 0x100; mask = mask + 1; mask += 1000;
  float4 w = 1; w = 0; w *= 2; w = (float4)(1, 2, 3, 4); uchar4 u4 = (uchar4)(255, 0, 255, 0); uchar4 u5 = 255; char2 c5 = (char2)(-1, 1);
  int a[3] = { 1, 2 }; int z[2] = { 0 }; (void)z;
  if (n) { } else { }
  while (n--) ;
  for (int i = lid; i < 100; i += 64) l[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int st = get_local_size(0) / 2; st > 0; st >>= 1) { if (lid < st) l[lid] += l[lid + st]; barrier(CLK_LOCAL_MEM_FENCE); }
  for (int st = 1; st < (int)get_local_size(0); st *= 2) { int idx = 2 * st * lid; if (idx < n) l[idx] += l[idx + st]; barrier(CLK_LOCAL_MEM_FENCE); }
  int done = 0;
  while (!done) { if (lid == 0) l[0] = f[0]; barrier(CLK_LOCAL_MEM_FENCE); done = l[0] > 3; }
  int tile = get_group_id(0) * 16; int limit = min(n - tile, 16);
  if (limit > 0) { barrier(CLK_LOCAL_MEM_FENCE); }
  int wave = lid >> 5; if (wave == 0) { barrier(CLK_LOCAL_MEM_FENCE); }
  g[gid] = n / 2 + n % 3 + 7 / 2 + 1024 * 1024 + (1 << 30) - 1 + 0x7fffffff + n;
  g[gid] += sizeof(int) * 3 - 10; g[gid] = -2147483647 - 1; g[gid] = INT_MIN; g[gid] = 0xffffffff * 2; g[gid] = (uint)-1;
  g[gid] = names[0] + table[0] + mask + s + neg + hex + big + all + ll + mini + shifted + sl + c + c2 + c3 + (int)half_ + (int)big2 + (int)e + fl + fl2 + fu + w.x + u4.x + u5.x + c5.x + a[0];
  printf("%d %u %x %c %s\n", gid, n, n, c, "x"); printf("\n"); printf("%5.2f%%\n", f[0]); printf("%d\n", true); printf("%d\n", n > 3); printf("%v4hlf\n", v); printf("%d: %f\n", lid, l[0]); printf("%lu %lu\n", sizeof(int), (ulong)n); printf("%p %p\n", g, l); printf("%#x\n", (uchar)n); printf("%zu %llu\n", get_global_size(0), ll);
  goto end; end: return;
}
