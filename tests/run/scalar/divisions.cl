// Quotients and remainders by numbers that are known, of all sizes, at their limits; and by numbers that are not, 0 and -1 among them,
// which the machine does in floats. What they are says the interpreter, which divides.
// run: known_char global=64 local=16 args: char[64] = 0 1 2 3 5 7 9 10 100 127 -128 -127 -1 0 1 -24 -1 -2 -3 -7 -100 -128 127 -127 -121 64 67 -97 65 -67 91 -53 -80 -15 -41 -67 -90 -20 -121 7 -41 119 -58 -15 63 -90 13 -26 40 28 95 120 -34 63 97 -117 26 -110 63 3 -69 55 104 71; char[64] = 0 ...
// run: known_uchar global=64 local=16 args: uchar[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 0 1 232 255 254 253 249 156 128 127 129 135 64 67 159 65 189 91 203 176 241 215 189 166 236 135 7 215 119 198 241 63 166 13 230 40 28 95 120 222 63 97 139 26 146 63 3 187 55 104 71; uchar[64] = 0 ...
// run: any_char global=64 local=16 args: char[64] = 0 1 2 3 5 7 9 10 100 127 -128 -127 -1 0 1 -24 -1 -2 -3 -7 -100 -128 127 -127 -121 64 67 -97 65 -67 91 -53 -80 -15 -41 -67 -90 -20 -121 7 -41 119 -58 -15 63 -90 13 -26 40 28 95 120 -34 63 97 -117 26 -110 63 3 -69 55 104 71; char[64] = 0 ...
// run: any_uchar global=64 local=16 args: uchar[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 0 1 232 255 254 253 249 156 128 127 129 135 64 67 159 65 189 91 203 176 241 215 189 166 236 135 7 215 119 198 241 63 166 13 230 40 28 95 120 222 63 97 139 26 146 63 3 187 55 104 71; uchar[64] = 0 ...
// run: known_short global=64 local=16 args: short[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 -1 -2 -3 -7 -100 -32768 32767 -32767 -32761 16384 16387 11932 -5483 -8687 -15354 25522 10459 -15603 -13295 4714 9094 -25040 -25071 29152 8303 8666 116 -1813 -8428 348 13726 -14838 14121 -2614 -1153 10869 -8362 10910 18959 20555 -2525 13034 -30198 -8119 -21114 -24529 13420 11905; short[64] = 0 ...
// run: known_ushort global=64 local=16 args: ushort[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 65535 65534 65533 65529 65436 32768 32767 32769 32775 16384 16387 11932 60053 56849 50182 25522 10459 49933 52241 4714 9094 40496 40465 29152 8303 8666 116 63723 57108 348 13726 50698 14121 62922 64383 10869 57174 10910 18959 20555 63011 13034 35338 57417 44422 41007 13420 11905; ushort[64] = 0 ...
// run: any_short global=64 local=16 args: short[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 -1 -2 -3 -7 -100 -32768 32767 -32767 -32761 16384 16387 11932 -5483 -8687 -15354 25522 10459 -15603 -13295 4714 9094 -25040 -25071 29152 8303 8666 116 -1813 -8428 348 13726 -14838 14121 -2614 -1153 10869 -8362 10910 18959 20555 -2525 13034 -30198 -8119 -21114 -24529 13420 11905; short[64] = 0 ...
// run: any_ushort global=64 local=16 args: ushort[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 65535 65534 65533 65529 65436 32768 32767 32769 32775 16384 16387 11932 60053 56849 50182 25522 10459 49933 52241 4714 9094 40496 40465 29152 8303 8666 116 63723 57108 348 13726 50698 14121 62922 64383 10869 57174 10910 18959 20555 63011 13034 35338 57417 44422 41007 13420 11905; ushort[64] = 0 ...
// run: known_int global=64 local=16 args: int[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 -1 -2 -3 -7 -100 -2147483648 2147483647 -2147483647 -2147483641 1073741824 1073741827 -253506153 -135047628 -1328682729 845589051 -143605210 -149909866 -456376014 1645932375 1283288560 92643356 1551298954 1782010769 712775808 -275768429 625784932 1133063676 279772928 1425304169 1294327475 -784259708 -1704629585 -1777509745 14530381 -1735257194 -1383261878 -1255521365 1451255993 283564262 1331259175 1526222443 -779458918 1314535974 2064784837 -1303866991 1356321087 793595014 2066817247; int[64] = 0 ...
// run: known_uint global=64 local=16 args: uint[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 4294967295 4294967294 4294967293 4294967289 4294967196 2147483648 2147483647 2147483649 2147483655 1073741824 1073741827 4041461143 4159919668 2966284567 845589051 4151362086 4145057430 3838591282 1645932375 1283288560 92643356 1551298954 1782010769 712775808 4019198867 625784932 1133063676 279772928 1425304169 1294327475 3510707588 2590337711 2517457551 14530381 2559710102 2911705418 3039445931 1451255993 283564262 1331259175 1526222443 3515508378 1314535974 2064784837 2991100305 1356321087 793595014 2066817247; uint[64] = 0 ...
// run: any_int global=64 local=16 args: int[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 -1 -2 -3 -7 -100 -2147483648 2147483647 -2147483647 -2147483641 1073741824 1073741827 -253506153 -135047628 -1328682729 845589051 -143605210 -149909866 -456376014 1645932375 1283288560 92643356 1551298954 1782010769 712775808 -275768429 625784932 1133063676 279772928 1425304169 1294327475 -784259708 -1704629585 -1777509745 14530381 -1735257194 -1383261878 -1255521365 1451255993 283564262 1331259175 1526222443 -779458918 1314535974 2064784837 -1303866991 1356321087 793595014 2066817247; int[64] = 0 ...
// run: any_uint global=64 local=16 args: uint[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 4294967295 4294967294 4294967293 4294967289 4294967196 2147483648 2147483647 2147483649 2147483655 1073741824 1073741827 4041461143 4159919668 2966284567 845589051 4151362086 4145057430 3838591282 1645932375 1283288560 92643356 1551298954 1782010769 712775808 4019198867 625784932 1133063676 279772928 1425304169 1294327475 3510707588 2590337711 2517457551 14530381 2559710102 2911705418 3039445931 1451255993 283564262 1331259175 1526222443 3515508378 1314535974 2064784837 2991100305 1356321087 793595014 2066817247; uint[64] = 0 ...
// run: known_long global=64 local=16 args: long[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 -1 -2 -3 -7 -100 -9223372036854775808 9223372036854775807 -9223372036854775807 -9223372036854775801 4611686018427387904 4611686018427387907 -5447892844436503051 1051481606261716148 -459332079598624258 421795097062085631 -4615467230543471378 -2861442476759150670 333287161803559225 -3915537212559616529 6754911298346566409 -7774955350442542116 167466709833948708 861963203396774096 3337375469626434876 -826784968487491545 3625184952927334990 -4505867837743029866 -1297630333415486657 -1069102680275006012 6352723203656455991 6544779409611747418 -8767703834303088952 -4139393696741550582 1993223628899832436 -4641236765280388229 -3740507557560662501 -2588182926335725389 675733360638540545 -999810200727220387 1681971723449439890 6285553496060013300 -7178964724127884439 -1511024687800056292 6271146414553703976 -1398307192795121149 -8390611487556761351 5763691913711591020 5843928270493152504; long[64] = 0 ...
// run: known_ulong global=64 local=16 args: ulong[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 18446744073709551615 18446744073709551614 18446744073709551613 18446744073709551609 18446744073709551516 9223372036854775808 9223372036854775807 9223372036854775809 9223372036854775815 4611686018427387904 4611686018427387907 12998851229273048565 1051481606261716148 17987411994110927358 421795097062085631 13831276843166080238 15585301596950400946 333287161803559225 14531206861149935087 6754911298346566409 10671788723267009500 167466709833948708 861963203396774096 3337375469626434876 17619959105222060071 3625184952927334990 13940876235966521750 17149113740294064959 17377641393434545604 6352723203656455991 6544779409611747418 9679040239406462664 14307350376968001034 1993223628899832436 13805507308429163387 14706236516148889115 15858561147373826227 675733360638540545 17446933872982331229 1681971723449439890 6285553496060013300 11267779349581667177 16935719385909495324 6271146414553703976 17048436880914430467 10056132586152790265 5763691913711591020 5843928270493152504; ulong[64] = 0 ...
// run: any_long global=64 local=16 args: long[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 -1 -2 -3 -7 -100 -9223372036854775808 9223372036854775807 -9223372036854775807 -9223372036854775801 4611686018427387904 4611686018427387907 -5447892844436503051 1051481606261716148 -459332079598624258 421795097062085631 -4615467230543471378 -2861442476759150670 333287161803559225 -3915537212559616529 6754911298346566409 -7774955350442542116 167466709833948708 861963203396774096 3337375469626434876 -826784968487491545 3625184952927334990 -4505867837743029866 -1297630333415486657 -1069102680275006012 6352723203656455991 6544779409611747418 -8767703834303088952 -4139393696741550582 1993223628899832436 -4641236765280388229 -3740507557560662501 -2588182926335725389 675733360638540545 -999810200727220387 1681971723449439890 6285553496060013300 -7178964724127884439 -1511024687800056292 6271146414553703976 -1398307192795121149 -8390611487556761351 5763691913711591020 5843928270493152504; long[64] = 0 ...
// run: any_ulong global=64 local=16 args: ulong[64] = 0 1 2 3 5 7 9 10 100 127 128 129 255 256 257 1000 18446744073709551615 18446744073709551614 18446744073709551613 18446744073709551609 18446744073709551516 9223372036854775808 9223372036854775807 9223372036854775809 9223372036854775815 4611686018427387904 4611686018427387907 12998851229273048565 1051481606261716148 17987411994110927358 421795097062085631 13831276843166080238 15585301596950400946 333287161803559225 14531206861149935087 6754911298346566409 10671788723267009500 167466709833948708 861963203396774096 3337375469626434876 17619959105222060071 3625184952927334990 13940876235966521750 17149113740294064959 17377641393434545604 6352723203656455991 6544779409611747418 9679040239406462664 14307350376968001034 1993223628899832436 13805507308429163387 14706236516148889115 15858561147373826227 675733360638540545 17446933872982331229 1681971723449439890 6285553496060013300 11267779349581667177 16935719385909495324 6271146414553703976 17048436880914430467 10056132586152790265 5763691913711591020 5843928270493152504; ulong[64] = 0 ...

// As a vector: scalars of less than an int would be divided as ints.
#define DIV(T, x, by) divide_##T((T##2)(x, x), (T##2)(by, by))
char divide_char(char2 x, char2 by) { char2 q = x / by, r = x % by; return (char)(q.x * 7 + r.y); }
uchar divide_uchar(uchar2 x, uchar2 by) { uchar2 q = x / by, r = x % by; return (uchar)(q.x * 7 + r.y); }
short divide_short(short2 x, short2 by) { short2 q = x / by, r = x % by; return (short)(q.x * 7 + r.y); }
ushort divide_ushort(ushort2 x, ushort2 by) { ushort2 q = x / by, r = x % by; return (ushort)(q.x * 7 + r.y); }
int divide_int(int2 x, int2 by) { int2 q = x / by, r = x % by; return (int)(q.x * 7 + r.y); }
uint divide_uint(uint2 x, uint2 by) { uint2 q = x / by, r = x % by; return (uint)(q.x * 7 + r.y); }
long divide_long(long2 x, long2 by) { long2 q = x / by, r = x % by; return (long)(q.x * 7 + r.y); }
ulong divide_ulong(ulong2 x, ulong2 by) { ulong2 q = x / by, r = x % by; return (ulong)(q.x * 7 + r.y); }

kernel void known_char(global const char *in, global char *out) {
    char x = in[get_global_id(0)], sum = 0;
    sum = (char)(sum * 31 + DIV(char, x, (char)(2)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(3)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(5)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(6)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(7)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(10)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(11)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(12)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(13)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(25)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(28)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(64)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(100)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(121)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(127)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-2)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-3)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-5)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-6)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-7)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-10)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-11)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-12)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-13)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-25)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-28)));
    sum = (char)(sum * 31 + DIV(char, x, (char)(-64)));
    sum = (char)(sum * 31 + DIV(char, x, (char)-128));
    out[get_global_id(0)] = sum;
}

kernel void any_char(global const char *in, global char *out) {
    size_t i = get_global_id(0);
    char sum = 0;
    for (size_t k = 0; k < 64; ++k)
        sum = (char)(sum * 31 + DIV(char, in[i], in[(i + k) & 63]));
    out[i] = sum;
}

kernel void known_uchar(global const uchar *in, global uchar *out) {
    uchar x = in[get_global_id(0)], sum = 0;
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(2)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(3)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(5)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(6)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(7)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(10)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(11)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(12)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(13)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(25)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(28)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(64)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(100)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(121)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(127)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(255)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(254)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(253)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(128)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(129)));
    sum = (uchar)(sum * 31 + DIV(uchar, x, (uchar)(156)));
    out[get_global_id(0)] = sum;
}

kernel void any_uchar(global const uchar *in, global uchar *out) {
    size_t i = get_global_id(0);
    uchar sum = 0;
    for (size_t k = 0; k < 64; ++k)
        sum = (uchar)(sum * 31 + DIV(uchar, in[i], in[(i + k) & 63]));
    out[i] = sum;
}

kernel void known_short(global const short *in, global short *out) {
    short x = in[get_global_id(0)], sum = 0;
    sum = (short)(sum * 31 + DIV(short, x, (short)(2)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(3)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(5)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(6)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(7)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(10)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(11)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(12)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(13)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(25)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(28)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(64)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(100)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(121)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(127)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(641)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(1000)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(10000)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(32767)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-2)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-3)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-5)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-6)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-7)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-10)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-11)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-12)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-13)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-25)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-28)));
    sum = (short)(sum * 31 + DIV(short, x, (short)(-64)));
    sum = (short)(sum * 31 + DIV(short, x, (short)-32768));
    out[get_global_id(0)] = sum;
}

kernel void any_short(global const short *in, global short *out) {
    size_t i = get_global_id(0);
    short sum = 0;
    for (size_t k = 0; k < 64; ++k)
        sum = (short)(sum * 31 + DIV(short, in[i], in[(i + k) & 63]));
    out[i] = sum;
}

kernel void known_ushort(global const ushort *in, global ushort *out) {
    ushort x = in[get_global_id(0)], sum = 0;
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(2)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(3)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(5)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(6)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(7)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(10)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(11)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(12)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(13)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(25)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(28)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(64)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(100)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(121)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(127)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(641)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(1000)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(10000)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(32767)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(65535)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(65534)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(65533)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(32768)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(32769)));
    sum = (ushort)(sum * 31 + DIV(ushort, x, (ushort)(65436)));
    out[get_global_id(0)] = sum;
}

kernel void any_ushort(global const ushort *in, global ushort *out) {
    size_t i = get_global_id(0);
    ushort sum = 0;
    for (size_t k = 0; k < 64; ++k)
        sum = (ushort)(sum * 31 + DIV(ushort, in[i], in[(i + k) & 63]));
    out[i] = sum;
}

kernel void known_int(global const int *in, global int *out) {
    int x = in[get_global_id(0)], sum = 0;
    sum = (int)(sum * 31 + DIV(int, x, (int)(2)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(3)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(5)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(6)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(7)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(10)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(11)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(12)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(13)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(25)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(28)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(64)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(100)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(121)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(127)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(641)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(1000)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(10000)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(32767)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(65535)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(65537)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(1000000007)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(1073741825)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(2147483647)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-2)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-3)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-5)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-6)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-7)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-10)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-11)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-12)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-13)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-25)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-28)));
    sum = (int)(sum * 31 + DIV(int, x, (int)(-64)));
    sum = (int)(sum * 31 + DIV(int, x, (-2147483647 - 1)));
    out[get_global_id(0)] = sum;
}

kernel void any_int(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    int sum = 0;
    for (size_t k = 0; k < 64; ++k)
        sum = (int)(sum * 31 + DIV(int, in[i], in[(i + k) & 63]));
    out[i] = sum;
}

kernel void known_uint(global const uint *in, global uint *out) {
    uint x = in[get_global_id(0)], sum = 0;
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(2u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(3u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(5u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(6u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(7u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(10u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(11u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(12u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(13u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(25u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(28u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(64u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(100u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(121u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(127u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(641u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(1000u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(10000u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(32767u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(65535u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(65537u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(1000000007u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(1073741825u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(2147483647u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(4294967295u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(4294967294u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(4294967293u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(2147483648u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(2147483649u)));
    sum = (uint)(sum * 31 + DIV(uint, x, (uint)(4294967196u)));
    out[get_global_id(0)] = sum;
}

kernel void any_uint(global const uint *in, global uint *out) {
    size_t i = get_global_id(0);
    uint sum = 0;
    for (size_t k = 0; k < 64; ++k)
        sum = (uint)(sum * 31 + DIV(uint, in[i], in[(i + k) & 63]));
    out[i] = sum;
}

kernel void known_long(global const long *in, global long *out) {
    long x = in[get_global_id(0)], sum = 0;
    sum = (long)(sum * 31 + DIV(long, x, (long)(2L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(3L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(5L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(6L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(7L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(10L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(11L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(12L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(13L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(25L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(28L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(64L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(100L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(121L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(127L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(641L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(1000L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(10000L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(32767L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(65535L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(65537L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(1000000007L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(1073741825L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(2147483647L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(4294967297L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(1000000000000000000L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(4611686018427387909L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-2L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-3L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-5L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-6L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-7L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-10L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-11L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-12L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-13L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-25L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-28L)));
    sum = (long)(sum * 31 + DIV(long, x, (long)(-64L)));
    sum = (long)(sum * 31 + DIV(long, x, (-9223372036854775807L - 1)));
    out[get_global_id(0)] = sum;
}

kernel void any_long(global const long *in, global long *out) {
    size_t i = get_global_id(0);
    long sum = 0;
    for (size_t k = 0; k < 64; ++k)
        sum = (long)(sum * 31 + DIV(long, in[i], in[(i + k) & 63]));
    out[i] = sum;
}

kernel void known_ulong(global const ulong *in, global ulong *out) {
    ulong x = in[get_global_id(0)], sum = 0;
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(2UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(3UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(5UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(6UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(7UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(10UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(11UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(12UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(13UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(25UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(28UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(64UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(100UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(121UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(127UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(641UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(1000UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(10000UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(32767UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(65535UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(65537UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(1000000007UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(1073741825UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(2147483647UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(4294967297UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(1000000000000000000UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(4611686018427387909UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(18446744073709551615UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(18446744073709551614UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(18446744073709551613UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(9223372036854775808UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(9223372036854775809UL)));
    sum = (ulong)(sum * 31 + DIV(ulong, x, (ulong)(18446744073709551516UL)));
    out[get_global_id(0)] = sum;
}

kernel void any_ulong(global const ulong *in, global ulong *out) {
    size_t i = get_global_id(0);
    ulong sum = 0;
    for (size_t k = 0; k < 64; ++k)
        sum = (ulong)(sum * 31 + DIV(ulong, in[i], in[(i + k) & 63]));
    out[i] = sum;
}
