// options: -cl-std=CL1.2
// d i o u x X f F e E g G a A c s p %%
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ printf("%d %u %x %o %f %e %g %a %c %s %p %%\n",1,2u,3,4,1.0f,1.0f,1.0f,1.0f,'c',"s",(global void*)g); }
