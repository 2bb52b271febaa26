// options: -cl-std=CL2.0
// to_global/to_local/to_private, get_fence
kernel void k(global int*g){ int*p=g; global int*q=to_global(p); local int*r=to_local(p); const int*c=p; global const int*d=to_global(c); struct S{int a;}s; private struct S*t=to_private(&s); g[0]=(q==g)+(r==NULL)+(get_fence(p)==CLK_GLOBAL_MEM_FENCE)+(d==g); }
