// What no kernel reaches may call and name what is defined nowhere.
// run: k global=1 args: int[1] = 0
// expect: 0 = 1
int elsewhere(int);
static int never(float4 v);
extern constant int table[];
static inline int helper(int a) { return elsewhere(a) + never(0) + table[a]; }
inline int second(int a) { return helper(a) + 1; }
int third(int a) { return second(a) * elsewhere(3); }
kernel void k(global int *o) { o[0] = 1; }
