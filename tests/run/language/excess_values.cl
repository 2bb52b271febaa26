// Values that nothing is left for are dropped, and not evaluated.
// run: k global=1 args: int[12] = 0
// expect: 0 = 1 2 3 7 2 3 97 98 5 6 8 0
struct pair { int x, y; };
kernel void k(global int *out)
{
    int n = 3;
    int a[3] = { 1, 2, n, n++, n++ };
    for (int i = 0; i < 3; i++)
        out[i] = a[i];
    int b[3] = { 1, 2, 3, n++, [0] = 7 };
    for (int i = 0; i < 3; i++)
        out[3 + i] = b[i];
    char s[2] = "abc";
    out[6] = s[0];
    out[7] = s[1];
    struct pair p = { 5, 6, n++ };
    out[8] = p.x;
    out[9] = p.y;
    int2 v = { 4, 5, n++ };
    int x = { n, n++ };
    out[10] = v.y + x;
    out[11] = n - 3;
}
