// options: -cl-std=CL2.0
enum { BIG = 1000 };
char f(char c) { return 300; } // warning: conversion from 'int' to 'char' changes the value from 300 to 44
kernel void k(global int *g, global uchar *h, char4 v)
{
    char a = 300; // warning: conversion from 'int' to 'char' changes the value from 300 to 44
    char b = 255; // warning: conversion from 'int' to 'char' changes the value from 255 to -1
    uchar c = 256; // warning: conversion from 'int' to 'uchar' changes the value from 256 to 0
    short d = 0x12345; // warning: conversion from 'int' to 'short' changes the value from 74565 to 9029
    int e = 0x1ffffffffL; // warning: conversion from 'long' to 'int' changes the value from 8589934591 to -1
    int i = 1.5f; // warning: conversion from 'float' to 'int' changes the value from 1.5 to 1
    int j = -0.5; // warning: conversion from 'double' to 'int' changes the value from -0.5 to 0
    float x = 16777217; // warning: conversion from 'int' to 'float' changes the value from 16777217 to 16777216
    uchar m = BIG; // warning: conversion from 'int' to 'uchar' changes the value from 1000 to 232
    uchar n = 100 + 200; // warning: conversion from 'int' to 'uchar' changes the value from 300 to 44
    char o = -129; // warning: conversion from 'int' to 'char' changes the value from -129 to 127
    h[0] = -300; // warning: conversion from 'int' to 'uchar' changes the value from -300 to 212
    v = (char4)(1, 2, 3, 200); // warning: conversion from 'int' to 'char' changes the value from 200 to -56
    f(1000); // warning: conversion from 'int' to 'char' changes the value from 1000 to -24
    /* what people mean */
    uint u = -1;
    uchar w = -1;
    uchar y = 255;
    char z = -128;
    ushort aa = ~0;
    int bb = 0xffffffff;
    char cc = (char)300;
    float dd = 1.5;
    int ee = 2.0f;
    float ff = 3;
    char gg = 'x';
    uchar hh = g[0];
    int ii = g[0] * 1.5f;
    int jj = sizeof(f(1000));
    g[0] = a + b + c + d + e + i + j + x + m + n + o + u + w + y + z + aa + bb + cc + dd + ee + ff + gg + hh + ii + jj;
}
