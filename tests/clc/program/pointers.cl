// options: -cl-std=CL1.2
// Pointers in every space, 1.x rules.
typedef global float *gfp;
float load(gfp p, const local float *q, constant float *r, float *s) { return *p + *q + *r + *s; }
local int *pick(local int *a, int n) { return n ? a : a + 1; }
kernel void k(gfp a, local float *b, constant float *c, global volatile uint *restrict d, global void *e)
{
    local int tile[16], other;
    private float x = 1, *px = &x, **ppx = &px;
    a[0] = load(a + 1, b, &c[2], px) + **ppx + *(a + 2) + 1[a];
    *pick(tile, 1) = 3; other = &tile[4] - tile; tile[1] = tile == &tile[0];
    global float *end = a + 10, *null = 0; while (a < end && a != null) *a++ = 0;
    if (!null || null == NULL) d[0] += (uint)(size_t)a; 
    global char *bytes = (global char *)a + sizeof(float); bytes[-1] = 1;
    ((global int *)e)[3] = *(global int *)bytes; e = a; a = e;
    const global float *ca = a; a = (global float *)ca; global float *const fixed = a; fixed[0] = ca[0];
    float (*row)[3], grid[2][3]; row = grid; (*row)[1] = row[1][2] = **grid;
    a += 2; a -= 1; a = &a[1]; a = &*a; 
    d[1] = atomic_add(d, 1u) + atomic_cmpxchg(d + 1, 2, 3);
}
