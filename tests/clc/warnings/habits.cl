// options: -cl-std=CL2.0
#define TRACE(x)
#define ZERO 0
struct pair { int a, b; };
private int *address(void) { int q = 3; return &q; } // warning: the variable whose address is returned ends with the function
private int *element(void) { int q[3]; q[0] = 1; return q + 1; } // warning: the variable whose address is returned ends with the function
private int *member(struct pair p) { return &p.b; } // warning: the variable whose address is returned ends with the function
kernel void k(global int *g, int a, int b, float x)
{
    if (a = b) // warning: an assignment is used as a condition; '==' compares, a second pair of parentheses says that this is meant
        g[0] = 1;
    while (a = b) // warning: an assignment is used as a condition; '==' compares, a second pair of parentheses says that this is meant
        g[0] = 1;
    if (a); // warning: the body of this 'if' is empty
    if (a == a) // warning: self-comparison is always true
        g[0] = 1;
    g[0] = a / 0; // warning: division by zero
    g[0] = a % 0; // warning: remainder by zero
    g[0] = 2147483647 + 1; // warning: overflow in expression; the result is -2147483648 with type 'int'
    g[0] = 65536 * 65536; // warning: overflow in expression; the result is 0 with type 'int'
    g[0] = (a > 0) ? b / 0 : 0; // warning: division by zero
    /* meant, or none of a compiler's business */
    if ((a = b))
        g[0] = 1;
    if (a)
        ;
    if (a) TRACE(b);
    if (a) ; else g[0] = 2;
    for (a = 0; a < 3; a++);
    if (x == x)
        g[0] = 1;
    if (ZERO)
        g[0] = a / ZERO;
    g[0] = ZERO ? a / ZERO : 1;
    g[0] = ZERO && a / ZERO;
    x = x / 0;
    g[0] = 4294967295u + 1;
    g[0] = 1 << 33;
    global int *p = g + 1;
    g[0] = *p + x;
}
kernel void compound(global int *g, int a)
{
    a /= 0; // warning: division by zero
    a %= 3 - 3; // warning: remainder by zero
    a /= 3;
    g[0] = a / (2 - 1) + a / (a - a);
    g[1] = 100 * 1024 * 1024 * 1024; // warning: overflow in expression; the result is 0 with type 'int'
}
