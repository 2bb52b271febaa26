// Every statement, and the scopes they make.
int jump(int n)
{
    int i = 0;
again:
    if (i++ < n) goto again;
    goto done;
    i = 100;
done:
    return i;
}
int choose(int n, long l)
{
    switch (n) {
    case 1: case 2: return 1;
    }
    switch (l) { default: n = 2; break; case -1: n++; case 1 << 2: { int inner = n; n = inner; } }
    switch (n) case 3: n = 4;
    return n;
}
kernel void k(global int *g)
{
    int x = 1; { int x = 2; g[0] = x; } 
    for (int x = 0, y = 1; x < 10; x++, y--) { int x = y; if (x) continue; else break; }
    for (;;) { if (g[0]) break; }
    do x--; while (x > 0);
    while (x < 3) while (x < 5) if (x) x++; else x = 7; 
    if (x) ; else if (x + 1) g[1] = 1; else g[1] = 2;
    x = g[1] ? g[2] : g[3] ? 1 : 2, g[4] = x;
    (void)x; x; g[0]; ;
    return;
}
