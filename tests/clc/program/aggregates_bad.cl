// What is wrong with structs, unions and arrays.
struct s { int a; int a; }; // error: duplicate member 'a'
struct s { int b; }; // error: redefinition of 's'
union s later; // error: another kind of tag // error: program-scope
struct missing hole(void); 
struct self { struct self inner; int i; }; // error: a member must have a complete type
typedef struct { int x; struct { int x; }; } twice; // error: duplicate member 'x'
enum e { A, B, A }; // error: redefinition of 'A'
constant int few[2] = { 1, 2, 3 }; // warning: too many values for the array
constant int negative[-1] = { 1 }; // error: the size of an array is negative
constant int zero[0] = { };
constant int fractional[1.5] = { 1 }; // error: must be an integer
constant char exact[2] = "abc"; // warning: longer than the array
constant int named = { .a = 1 }; // error: expected an expression
constant struct s unknown = { .z = 1 }; // error: there is no member 'z'
constant int beyond[2] = { [2] = 1 }; // error: there is no such array element
kernel void k(global int *g)
{
    struct s v = 1; // error: cannot initialize 'struct s' from 'int'
    v.missing = 1; // error: has no member 'missing'
    v->a = 1; // error: '*' needs a pointer
    global struct s *p = 0;
    p.a = 1; // error: use '->'
    int a[2], b[2] = a; // error: must be initialized by a list
    a = b; // error: an array cannot be assigned to
    int open[]; // error: the size of the array is missing
    g[v] = 1; // error: cannot subscript
    g[0] = sizeof(struct missing); // error: the struct is not defined
    void *q = g + 1; // error: the address spaces do not convert
    const struct s fixed = v;
    fixed.a = 1; // error: cannot write to something 'const'
}
