// options: -cl-no-subgroup-ifp
// no progress of sub-groups is needed
kernel void k(global float*g){ g[0]=g[1]*2; }
