// Names with letters beyond ASCII, also as universal character names (C99 s6.4.2.1), and constants with L, which is double.
// run: größe global=1 args: int[5] = 0
// expect: 0 = 3 6 8 2 0x20ac
#define π 3.14159L
#define STRING(x) #x
typedef struct { int é; } α\u03b2;
constant char text[] = STRING(é\u00e9);
kernel void größe(global int *ausgabe)
{
    α\u03b2 数 = {5};
    int \u00e9t\u00E9 = 1;
    ausgabe[0] = (int)(1.5L * 2) + (int)(π - 3.0l);
    ausgabe[1] = 数.\u00e9 + été;
    ausgabe[2] = sizeof(1.0L);
    ausgabe[3] = (text[0] == text[2] && text[1] == text[3]) + (sizeof text == 5);
    ausgabe[4] = 0x20ac;
}
