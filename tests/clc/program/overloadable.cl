// options: -cl-std=CL2.0
// Functions told apart by their parameters, an extension of clang.
#define OV __attribute__((overloadable))
int OV f(int a);
float OV f(float a);
OV float4 f(float4 a) { return a; }
int OV f(int a) { return a; }
float f(float a) __attribute__((overloadable)) { return a; }
int g(int a) { return a; }
float OV g(float a) { return a; }
int OV g(int a, int b) { return a + b; }
void OV h(global int *p) { }
void OV h(local int *p) { }
void OV h(const int *p) { }
float OV max(float a, int b) { return a; }
float OV two(float a, int b) { return a; } 
float OV two(int a, float b) { return a; }
kernel void k(global int *i, global float *x, local int *l, float4 v, char c)
{
    i[0] = f(1) + f(c) + g(c) + g(1, 2);
    x[0] = f(1.0f) + f(v).x + g(1.0f) + max(1.0f, 2) + max(1.0f, 2.0f) + max(v, v).x;
    h(i); h(l); h(&i[1]);
    x[1] = two(1.0f, 1) + two(1, 1.0f);
    x[2] = two(1, 1); // error: the call of 'two' is ambiguous with (int, int)
    x[3] = f(); // error: no function 'f' takes ()
    x[4] = f(i); // error: no function 'f' takes (global int *)
}
int OV f(int a) { return 1; } // error: redefinition
float OV f(int a); // error: conflicting types
int g(short a); // error: conflicting types for 'g'
kernel void OV f(global int *a) {} // error: a kernel cannot be overloaded
