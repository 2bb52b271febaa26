// Parameters of definitions need no names (C23; clang has it in every version).
// run: k global=2 args: int[2] = 0; int = 5; local 8; float4 = 0
// expect: 0 = 16 16
int f(int, int b) { return b + 1; }
int g(float4, global int *, int x) { return x + 10; }
struct s { int a; };
int h(struct s, const int) { return 0; }
kernel void k(global int *o, int n, local int *, float4)
{
    o[get_global_id(0)] = g((float4)0, o, f(1, n)) + h((struct s){1}, 2);
}
