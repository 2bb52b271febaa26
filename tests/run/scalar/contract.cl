// FP_CONTRACT (s6.12.2): with OFF every product is rounded, in just the block or the rest of the
// file that the pragma is for. With ON either result is right: 0 or 2^-24.
// run: off global=1 local=1 args: float = 1.000244140625; float[4] = 7 ...
// expect: 1 = 0 0 0 0
// run: on global=1 local=1 args: float = 1.000244140625; int[4] = 7 ...
// expect: 1 = 1 1 1 1
// run: within global=1 local=1 args: float = 1.000244140625; float[3] = 7 ...; int[2] = 7 ...
// expect: 1 = 0 0 5.9604645e-8
// expect: 2 = 1 1
#pragma OPENCL FP_CONTRACT OFF
kernel void off(float a, global float *out)
{
    float b = a * a;
    out[0] = a * a - b;
    out[1] = -b + a * a;
    out[2] = b - a * a;
    float s = -b;
    s += a * a;
    out[3] = s;
}
#pragma OPENCL FP_CONTRACT ON
int either(float x) { return x == 0.0f || fabs(x) == 0x1p-24f; }
kernel void on(float a, global int *out)
{
    float b = a * a;
    out[0] = either(a * a - b);
    out[1] = either(-b + a * a);
    out[2] = either(b - a * a);
    float s = -b;
    s += a * a;
    out[3] = either(s);
}
kernel void within(float a, global float *out, global int *ok)
{
    float b = a * a;
    ok[0] = either(a * a - b);
    {
        #pragma OPENCL FP_CONTRACT OFF
        out[0] = a * a - b;
        for (int i = 0; i < 1; ++i) {
            _Pragma("OPENCL FP_CONTRACT DEFAULT")
            ok[1] = either(a * a - b);
        }
        out[1] = a * a - b;
    }
    out[2] = fma(a, a, -b);
}
