#line 100 "generated.cl"
kernel void k(global int *g)
{
    g[0] = first;
#line 7
    g[0] = second;
# 30 "other.h"
    g[0] = third;
}
