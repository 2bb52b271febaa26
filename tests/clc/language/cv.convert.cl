// options: -cl-std=CL1.2
// convert_T{n}{_sat}{_rt} family
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ uchar4 c=convert_uchar4_sat_rte((float4)(300.0f)); g[0]=c.x; }
