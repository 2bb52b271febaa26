// Floating-point sums and products of a single work-item whose order is left open: they are accumulated in lanes. The
// numbers are such that no order rounds.
// options: -cl-unsafe-math-optimizations
// run: sums global=1 local=1 args: float[45] = iota; float[45] = iota; int = 45; float[5] = 0 ...
// expect: 3 = 29370 -990 462 16 990.5
// run: sums global=1 local=1 args: float[45] = iota; float[45] = iota; int = 3; float[5] = 0 ...
// expect: 3 = 5 -3 0 1 3.5
kernel void sums(global const float *a, global const float *b, int n, global float *out)
{
    float dot = 0, less = 0, odd = 0, product = 1, both = 0.5f;
    for (int i = 0; i < n; i++) {
        dot += a[i] * b[i];
        less -= a[i];
        if (i > 2 && (i & 1))
            odd += a[i] - 1;
        product *= a[i] == 7 || a[i] == 30 ? 4 : 1;
        both = a[i] > 2 ? both + b[i] : fma(a[i], 1.0f, both);
    }
    out[0] = dot, out[1] = less, out[2] = odd, out[3] = product, out[4] = both;
}
