// options: -cl-std=CL1.2
// vN specifier with hh h hl l length
kernel void k(void){ printf("%v4hld %v2hhx %v8hd %v2lu\n", (int4)(1), (char2)(1), (short8)(1), (ulong2)(1)); printf("%v4hlf %v2lf\n", (float4)(1), (double2)(1)); }
