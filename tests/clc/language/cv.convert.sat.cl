// options: -cl-std=CL1.2
// _sat clamps and NaN maps to 0
kernel void t(global int *g, global float *f, local int *l, constant int *kc)
{ g[0]=convert_int_sat(NAN)+convert_char_sat(1000); }
