// options: -cl-std=CL1.2
// #define, function-like macros, # ##, #if/#ifdef/#elif/#else, defined(), #line, #error, #include
#define CAT(a,b) a##b
#define STR(x) #x
#if defined(CAT) && (1+1==2)
kernel void CAT(k,1)(global int*g){ g[0]=sizeof(STR(ab)); }
#else
#error no
#endif
