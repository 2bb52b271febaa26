// options: -cl-std=CL1.2
// arrays, structs, unions, enums, typedefs, pointers as in C99
typedef struct{int a[2]; union{int i; float x;} u;} T; enum E{A,B=5}; kernel void k(global T*p){ p->u.i=B; p->a[1]=A; }
