// options: -cl-std=CL2.0
// Captured variables are copies, made when the literal is evaluated; arrays are shared.
// run: kinds global=1 args: int[16] = 0; int = 5
// expect: 0 = 5 5 6 12 9 21 7 30 4 100 3
// run: time global=1 args: int[8] = 0
// expect: 0 = 1 2 0 1 2 3
// run: deep global=4 args: int[4] = 0
// expect: 0 = 1110 1111 1112 1113
struct pair { int a; short b; };
struct big { char c; struct pair p[3]; double16 d; };

kernel void kinds(global int *g, int param)
{
    int scalar = param;
    float4 vector = (float4)(1, 2, 3, 6);
    float3 three = (float3)(1, 2, 9);
    struct pair pair = {7, 14};
    struct big big = {1, {{1, 2}, {3, 4}, {5, 25}}, (double16)(0.5)};
    int array[3] = {1, 2, 3};
    int *pointer = array;
    char small = -3;
    bool yes = true;
    ^{ g[0] = scalar; }();
    ^{ g[1] = param; }();
    ^{ g[2] = (int)vector.w; g[3] = (int)(vector.s0 + vector.s1 + vector.s2 + vector.w); }();
    ^{ g[4] = (int)three.z; g[5] = pair.a + pair.b; g[6] = yes ? pair.a : 0; }();
    ^{ g[7] = big.p[2].a + big.p[2].b; g[8] = (int)(big.d.s3 + big.d.sf + big.p[1].a); }();
    ^{ array[1] = 100; }();
    g[9] = array[1];
    ^{ g[10] = pointer[2] + small + 3 * yes; }();
}

kernel void time(global int *g)
{
    int m = 1;
    int (^get)(void) = ^{ return m; };
    m = 2;
    g[0] = get();
    g[1] = m;
    for (int i = 0; i < 4; i++) {
        int (^here)(void) = ^{ return i; };
        g[2 + i] = here();
    }
}

kernel void deep(global int *g)
{
    int id = get_global_id(0), hundred = 100;
    int (^outer)(int) = ^(int thousand) {
        int ten = 10;
        int (^inner)(void) = ^{
            return ^{ return id + ten + hundred + thousand; }();
        };
        return inner();
    };
    g[id] = outer(1000);
}
