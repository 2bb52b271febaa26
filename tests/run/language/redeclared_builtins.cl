// A builtin that the program declares again, as headers for editors do, is the builtin.
// run: k global=4 local=4 args: int[8] = 0; float[8] = 1 4 9 16 25 36 49 64
// expect: 0 = 3 2 1 0 1 2 3 4
// expect: 1 = 1 2 3 4 25 36 49 64
#define OV __attribute__((overloadable))
void OV barrier(cl_mem_fence_flags flags);
size_t OV get_local_id(uint dim);
float OV sqrt(float x);
float4 OV sqrt(float4);
int OV clamp(int x, int low, int high);
float OV fract(float x, float *p);
float4 OV vload4(size_t offset, const global float *p);
uint4 convert_uint4(float4);
int printf(constant const char *restrict format, ...);
int abs_of(int);
// Defined by the program, which is then meant.
int min(int a, int b);
static void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }
kernel void k(global int *o, global float *f)
{
    local uint t[4];
    uint l = get_local_id(0);
    t[l] = l;
    sync();
    o[l] = t[3 - l];
    float r;
    o[4 + l] = clamp((int)l, -1, min(7, 8)) + 1 + (int)fract(2.0f, &r);
    float4 roots = sqrt(vload4(0, f));
    sync();
    f[l] = l == 0 ? (float)convert_uint4(roots).x : l == 1 ? roots.y : sqrt(f[l]);
}
int min(int a, int b) { return a + b; }
