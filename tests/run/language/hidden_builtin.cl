// A function of the program with a builtin's name is called where it takes the arguments, the builtin elsewhere.
// run: dot global=1 args: float[5] = 0
// expect: 0 = 11 9 2 5 0.5
float2 fract(float2 a, float b) { return a * b; }
int max(int a, int b) { return a + b; }
kernel void dot(global float *g)
{
    float whole;
    g[0] = dot((float2)(1.0f, 2.0f), (float2)(3.0f, 4.0f));
    g[1] = fract((float2)(3.0f, 4.0f), 3.0f).x;
    g[2] = max((float2)(1.0f), (float2)(2.0f)).y;
    // A conversion of the arguments suffices.
    g[3] = max(2.0f, 3.0f);
    g[4] = fract(1.5f, &whole);
}
