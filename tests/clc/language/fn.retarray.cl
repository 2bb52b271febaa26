// options: -cl-std=CL1.2
// functions return scalars, vectors, structs
struct S { int a[3]; }; struct S f(void){ struct S s={{1,2,3}}; return s; } float8 g(void){ return 1; } kernel void k(global int*o){ o[0]=f().a[1]+(int)g().s7; }
