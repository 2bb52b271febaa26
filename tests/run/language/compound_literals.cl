// Compound literals of every type are objects: they have an address and can be written (C99 s6.5.2.5p5).
// options: -cl-std=CL2.0
// run: k global=2 args: int[20] = 0
// expect: 0 = 3 9 6 12 5 8 4 2 7 1 3 9 6 12 5 8 4 2 7 1
int at(const int *p) { return *p; }
int sum(float4 *v) { v->x += 1; return (int)(v->x + v->y + v->z + v->w); }
kernel void k(global int *o)
{
    o += get_global_id(0) * 10;
    o[0] = at(&(int){3});
    int *p = &(int){4};
    *p += 5;
    o[1] = *p;
    int n = 5;
    o[2] = ++(int){n};
    o[3] = sum(&(float4){1, 2, 3, 5});
    o[4] = (int){n};
    o[5] = ((int2){7, 8}).y;
    // An object for each place, made anew each time.
    int *last = 0, total = 0;
    for (int i = 0; i < 4; ++i) {
        int *q = &(int){1};
        total += *q;
        *q = 9;
        last = q;
    }
    o[6] = total;
    float2 *v = &(float2){0, 0};
    v->y = 2;
    o[7] = (int)(*v).y;
    int **pp = &(int *){&n};
    **pp = 7;
    o[8] = n;
    o[9] = ((int){5} = 1);
}
