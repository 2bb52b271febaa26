// options: -cl-std=CL2.0
// ^(args){...} literal, inferred return type
typedef void (^each_t)(int);
typedef int fn(int);
kernel void k(global int *g) {
    void (^a)(void) = ^{};
    int (^b)(int) = ^(int x) { return x; };
    int (^c)(int) = ^int(int x) { return x; };
    float4 (^d)(float, float4) = ^(float x, float4 y) { if (x > 0) return y; return x * y; };
    global int *(^e)(int) = ^global int *(int i) { return g + i; };
    each_t f = ^void(int i) { g[i] = 0; };
    fn ^h = ^(int i) { return i; };
    void (^l)(local void *p) = ^void(local void *p) {};
    int (^const m)(void) = ^int { return 1; };
    char (^n)(char) = ^(char x) { return x; };
    a();
    g[1] = 3 ^ ^{ return 1; }() ^ ^(int x) { return x; }(2);
    f(^(int i) { return i; }(3));
    g[0] = b(1) + c(2) + *e(1) + (int)d(1.0f, (float4)1.0f).x + ((int (^)(int))b)(1) + sizeof(b) + h(1) + m() + n(1);
}
