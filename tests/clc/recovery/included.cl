#include "wrong.h"
kernel void k(global int *g)
{
    g[0] = helper(1) + helper(2, 3);
    g[1] = MISTAKE;
}
