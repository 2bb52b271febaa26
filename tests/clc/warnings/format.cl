kernel void k(global int *g, global float *f, int n, long l, float4 v, int2 i2, char c, uchar4 u4, constant char *text)
{
    const bool b = n > 0;
    printf("%d\n", f[0]); // warning: the format has '%d' for 'int', but this is 'float'
    printf("%f\n", n); // warning: the format has '%f' for 'double', but this is 'int'
    printf("%d\n", l); // warning: the format has '%d' for 'int', but this is 'long'
    printf("%ld\n", n); // warning: the format has '%ld' for 'long', but this is 'int'
    printf("%d\n"); // warning: '%d' in the format has no argument
    printf("%d\n", 1, 2); // warning: the format does not use this argument
    printf("none", n); // warning: the format does not use this argument
    printf("%s\n", n); // warning: the format has '%s' for a string literal, but this is 'int'
    printf("%s\n", text); // warning: the format has '%s' for a string literal, but this is 'constant char *'
    printf("%p\n", n); // warning: the format has '%p' for a pointer, but this is 'int'
    printf("%y\n", n); // warning: '%y': there is no conversion 'y'
    printf("%n\n", n); // warning: '%n': this conversion is reserved
    printf("%*d\n", 5, n); // warning: '%*d': '*' is not supported in a format
    printf("%v4f\n", v); // warning: '%v4f': a vector needs a length: 'hh', 'h', 'hl' or 'l'
    printf("%f\n", v); // warning: the format has '%f' for 'double', but this is 'float4'
    printf("%v4hld\n", v); // warning: the format has '%v4hld' for 'int4', but this is 'float4'
    printf("%v4hlf\n", i2); // warning: the format has '%v4hlf' for 'float4', but this is 'int2'
    printf("%v2hlf\n", f[0]); // warning: the format has '%v2hlf' for 'float2', but this is 'float'
    printf("%v2ld\n", i2); // warning: the format has '%v2ld' for 'long2', but this is 'int2'
    printf("%v5hlf\n", v); // warning: '%v5hlf': a vector has 2, 3, 4, 8 or 16 components
    printf("%hlf\n", f[0]); // warning: '%hlf': the length 'hl' is for vectors
    printf("100%"); // warning: the conversion '%' is not complete
    /* all right */
    printf("%d %i %u %x %X %o %c\n", n, n, n, n, (uint)n, n, c);
    printf("%hhd %hd %d %d\n", c, (short)n, b, c);
    printf("%ld %lu %lx\n", l, get_global_id(0), l);
    printf("%f %e %g %a %5.3f %F %E %G %A\n", f[0], f[1], 1.0, 1.0f, f[0], f[0], f[0], f[0], f[0]);
    printf("%s %p %% %-5d|%+d|% d|%#x|%05d\n", "text", g, n, n, n, n, n);
    printf("%s\n", n ? "yes" : "no");
    printf("%v4hlf %2.2v4hlf %v2hld %#v4hhx\n", v, v, i2, u4);
    printf("plain\n");
}
