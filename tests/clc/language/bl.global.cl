// options: -cl-std=CL2.0
// block at program scope
int G; int (^getG)(void)=^{ return G; }; kernel void k(global int*g){ g[0]=getG(); }
static int (^const twice)(int) = ^(int x) { return 2 * x; };
int (^both)(int) = ^(int x) { return twice(x) + getG(); };
