// options: -cl-std=CL1.2
typedef float five __attribute__((ext_vector_type(5))); // error: no vector of 5 lanes of 'float'
typedef int odd __attribute__((vector_size(6))); // error: no vector of 6 bytes of 'int'
typedef double big __attribute__((vector_size(256))); // error: no vector of 256 bytes of 'double'
struct s { int a; };
typedef struct s of_structs __attribute__((ext_vector_type(4))); // error: there are no vectors of 'struct s'
struct tail { int rest[]; int n; }; // error: 'rest' has no size, so it must be the last member
struct good { int n; int rest[]; };
constant struct good full = { 1, .rest = { 2, 3 } }; // error: a member of open size cannot be initialized
_Static_assert(sizeof(int) == 8, "int has " "4 bytes"); // error: static assertion failed: int has 4 bytes
_Static_assert(0); // error: static assertion failed
__auto_type here = 1; // error: '__auto_type' is for variables of a function
int f(__auto_type x); // error: '__auto_type' is for variables of a function
__asm__(".globl x"); // error: inline assembly is not supported
struct m { int x; __auto_type y; }; // error: '__auto_type' is for variables of a function
constant int range[4] = { [2 ... 4] = 1, [3 ... 2] = 1 }; // error: no such range // error: no such range
kernel void k(global int *g)
{
    asm volatile("nop" : "=r"(g[0]) : "r"(missing) : "memory"); // error: inline assembly is not supported
    asm("bar.sync 0;"); // error: inline assembly is not supported
    int r __asm__("eax") = 1; // error: inline assembly is not supported
    __auto_type n; // error: '__auto_type' is for variables of a function
    __auto_type v = k; // error: a function can only be called
    int x = _Generic(g, int: 1, float: 2); // error: '_Generic' has nothing for 'global int *'
    x = _Generic(1, int: 1, int: 2); // error: a type occurs twice in '_Generic'
    x = __builtin_astype(1.0f, long); // error: the bits of 'float' cannot be a 'long'
    x = __builtin_astype(1.0f); // error: expected ','
    int4 a = 1, b = __builtin_shufflevector(a, a, 0, 1, 2, 8); // error: there are 8 components to choose from
    b = __builtin_shufflevector(a, a, 0, 1, 2, 3, 4); // error: no vector of 5 lanes of 'int'
    b = __builtin_convertvector(a, float2).x; // error: no vectors of as many components
    x = __builtin_offsetof(struct s, b); // error: there is no member 'b'
    x = __builtin_choose_expr(x, 1, 2); // error: this must be a constant
    switch (x) { case 1 ... 9: case 5: break; } // error: duplicate case value
    x = undeclared; // error: use of undeclared identifier
    int neg[-1]; // error: the size of an array is negative
}
