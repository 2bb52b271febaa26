// options: -cl-std=CL2.0
// The keyword `generic` is not needed; writing it explicitly on a pointee is accepted by existing compilers. Expect: the specification reserves the word; accept as pointee qualifier for compatibility.
kernel void k(global float *g) { generic float *d; d = g; *d = 1.0f; }
