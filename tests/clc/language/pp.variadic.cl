// options: -cl-std=CL1.2
// variadic macros
#define F(...) __VA_ARGS__
#define G(x, ...) x + F(__VA_ARGS__)
kernel void k(global int*g){ g[0]=F(1)+G(2,3); }
