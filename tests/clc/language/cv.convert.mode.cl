// options: -cl-std=CL1.2
// _rte _rtz _rtp _rtn
kernel void k(global int4*g, global float4*f){ g[0]=convert_int4_rte(f[0])+convert_int4_rtz(f[0])+convert_int4_rtp(f[0])+convert_int4_rtn(f[0])+convert_int4_sat_rte(f[0]); f[1]=convert_float4_rtp(g[1]); }
