// Long flat expressions, choices and alternatives, many operators before an operand. `tests/it/hostile.rs` has longer ones.
// run: k global=3 args: int[21] = 0; int[3] = 1 2 3; float[3] = 1 2 3
// expect: 0 = 500 1000 1500 1 0 1 301 302 303 1 2 3 -1 -2 -3 500 500 500 7 7 7
#define X1(t) t
#define X10(t) t t t t t t t t t t
#define X100(t) X10(t) X10(t) X10(t) X10(t) X10(t) X10(t) X10(t) X10(t) X10(t) X10(t)
#define X300(t) X100(t) X100(t) X100(t)
#define X500(t) X300(t) X100(t) X100(t)
#define X1000(t) X500(t) X500(t)
constant int known = 0 X500(+ 1);
kernel void k(global int *o, global int *a, global float *f)
{
    int i = get_global_id(0), n = a[i];
    o[i] = 0 X500(+ a[i]);
    o[3 + i] = (n == 2 X500(|| n < 0)) == 0 X300(&& n > 0);
    o[6 + i] = X300(n == 7 ? 1 :) n + 300;
    o[9 + i] = X1000(-) X1000(~) X1000(+) X1000(!) n == 0 ? n : X1000((int)) n;
    o[12 + i] = X1000(-) X1(-) n;
    o[15 + i] = known;
    int array[0 X500(+ 1)];
    if (sizeof(array) != 2000) o[15 + i] = 0;
    if (n == 100) o[18 + i] = 1;
    X300(else if (n == 100) o[18 + i] = 2;)
    else o[18 + i] = 7;
}
