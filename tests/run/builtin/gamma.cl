// lgamma of double keeps its relative accuracy next to its zeros at 1 and 2, and is +0 there.
// run: near global=14 local=1 args: double[14] = 1.0000000000009095 0.9999999990686774 2.0000000000000284 1.9999990463256836 0.5 0.75 1.25 1.4999 1.5 1.75 2.5 3.0 3.0000001 0.49; double[14] = -5.249745890076018e-13 5.375739798578573e-10 1.2016253523895452e-14 -4.0319826848018475e-07 0.5723649429247001 0.20328095143129538 -0.09827183642181316 -0.12078588195849393 -0.12078223763524522 -0.08440112102048555 0.2846828704729192 0.6931471805599453 0.6931472728383806 0.592249629335267; int[14] = 0 ...
// expect: 2 = 1 ...
// run: edge global=5 local=1 args: double[5] = 8.673617379884035e-19 -8.673617379884035e-19 8.67361737988403e-19 9.332636185032189e-302 -9.332636185032189e-302; double[5] = 0 ...
// expect: 1 = 1.152921504606847e18 -1.152921504606847e18 1.1529215046068477e18 1.0715086071862673e301 -1.0715086071862673e301
// run: zeros global=2 local=1 args: double[2] = 1 2; ulong[2] = 7 7
// expect: 1 = 0 0
kernel void near(global const double *x, global const double *want, global int *close)
{
    size_t i = get_global_id(0);
    close[i] = fabs(lgamma(x[i]) - want[i]) <= 1e-15 * fabs(want[i]);
}

kernel void zeros(global const double *x, global ulong *bits)
{
    size_t i = get_global_id(0);
    bits[i] = as_ulong(lgamma(x[i]));
}

// 2^-60 and its neighbours, where tgamma becomes 1 / x.
kernel void edge(global const double *x, global double *out)
{
    size_t i = get_global_id(0);
    out[i] = tgamma(x[i]);
}
