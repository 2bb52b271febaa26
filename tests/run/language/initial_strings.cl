// Strings that initialize arrays of char: in braces, in parentheses, where inner braces are left out (C99 s6.7.8p14, p20).
// run: k global=1 args: int[36] = 0
// expect: 0 = 0x79 4 8 0x62 0x63 0x64 2 0x68 9 0x62 0x63 6 0x66 3 0x61 0x62 0x67 5 1 0x71 0 0x65 0x6c 2 0x31 0x32 7 0x7a 3 0x62 0x65 0x68 0x63 4 0x66 0x69
#define NAME ("abc")
typedef struct { char n[4]; int v; } S;
typedef struct { S s[2]; char last; } T;
typedef union { char text[8]; int number; } U;
typedef struct { int v; constant char *p; char n[3]; } P;
constant char t[] = {"xyz"};
constant uchar u[8] = {"ab",};
constant char w[] = NAME;
constant S s[2] = {"ab", 1, "cd", 2};
constant char rows[][4] = {"abc", {"def"}, ("ghi")};
constant char joined[] = {("x" "y" "z")};
constant T deep = {"ab", 5, "fg", 6, 'q'};
constant U unions[] = {"el", {"lo"}};
constant P mixed[2] = {2, "zzz", "12", 7, "z", "3"};
int length(const char *p) { int n = 0; while (p[n]) ++n; return n; }
kernel void k(global int *o)
{
    int i = 0;
    struct { char a[4]; char b[4]; int v; } p[2] = {"ab", "cd", 1, "ef", "gh", 9};
    char first = ("abc")[1], second[3] = {"abc"[2], *"qr", 0}, third = *("abc");
    char plain[4] = ("ab");
    S one = {.n = ("fg"), .v = 5};
    char named[2][3] = {[1] = "q", [0] = {"e"}};
    o[i++] = t[1]; o[i++] = sizeof t; o[i++] = sizeof u;
    o[i++] = w[1]; o[i++] = ((char[]){"abc"})[2];
    o[i++] = s[1].n[1]; o[i++] = s[1].v; o[i++] = p[1].b[1]; o[i++] = p[1].v;
    o[i++] = first; o[i++] = second[0];
    o[i++] = length((char[8]){("abcdef")});
    o[i++] = ((S){"def", 3}).n[2]; o[i++] = ((S){"def", 3}).v;
    o[i++] = third; o[i++] = plain[1]; o[i++] = one.n[1]; o[i++] = one.v;
    o[i++] = plain[2] == 0 && plain[3] == 0;
    o[i++] = named[1][0]; o[i++] = named[1][1]; o[i++] = named[0][0];
    o[i++] = unions[0].text[1]; o[i++] = mixed[0].v; o[i++] = mixed[0].n[0]; o[i++] = mixed[0].n[1];
    o[i++] = mixed[1].v; o[i++] = mixed[1].p[0]; o[i++] = sizeof joined - 1;
    o[i++] = rows[0][1]; o[i++] = rows[1][1]; o[i++] = rows[2][1];
    o[i++] = ((char[][4]){"abc", "d"})[0][2];
    o[i++] = sizeof((char[]){"abc"});
    o[i++] = deep.s[1].n[0]; o[i++] = unions[1].text[0] - 'l' + 'i';
}
