// options: -cl-std=CL2.0
// What is wrong with pointers, 2.0 rules.
int f(int *p) { return *p; }
global int var; 
global int *global ok = &var;
local int *global wrong = 0;
int (*function)(int); // error: pointers to functions
kernel void k(global int *g, constant int *c, local float *l, image2d_t im, sampler_t s)
{
    int *p = g; float *q = p; // warning: different types
    g = l; // error: the address spaces do not convert
    p = 5; // error: cannot assign 'int' to 'int *'
    p = p * 2; // error: invalid operands to '*'
    p = -p; // error: invalid operand to unary '-'
    p = f; // error: a function can only be called
    p = &f; // error: pointers to functions
    p = &5; // error: the address of a value
    p = &(p + 1); // error: the address of a value
    *g; **g = 1; // error: '*' needs a pointer
    void *v = g; v++; v = v + 1;
    v = v + 1.0f; // error: invalid operands to '+'
    global struct open *w = 0; w = w + 1; // error: the struct is not defined
    *v = 1; // error: cannot write to 'void'
    p = q ? p : 0.0f; // error: do not go together
    g[0] = p == c; // error: do not overlap
    g[0] = p - (float *)q; // error: different types
    const int *cp = p; *cp = 1; // error: cannot write to something 'const'
    p = cp; // warning: drops 'const'
    get_global_id = 0; // error: cannot be assigned to
    g[0] = get_global_id; // error: can only be called
}
