int f(int x) { return x; }
#define IGNORED(x) x
kernel void k(global int *g, global volatile int *v, int a, float4 q)
{
    a + 1; // warning: the value of this expression is not used
    a == 1; // warning: the result of this comparison is not used; '=' assigns
    a; // warning: the value of this expression is not used
    g[0]; // warning: the value of this expression is not used
    -a; // warning: the value of this expression is not used
    q.x; // warning: the value of this expression is not used
    (float4)(1.0f); // warning: the value of this expression is not used
    a ? 1 : 2; // warning: the value of this expression is not used
    f(a), a; // warning: the value of this expression is not used
    for (a; a < 3; a + 1) // warning: the value of this expression is not used // warning: the value of this expression is not used
        g[a] = 1;
    /* all of these do something */
    f(a);
    a++;
    a = 1, f(a);
    (void)a;
    v[0];
    a && f(a);
    a ? f(1) : f(2);
    IGNORED(a); // warning: the value of this expression is not used
    as_int(1.0f); // warning: the value of this expression is not used
    ;
}
