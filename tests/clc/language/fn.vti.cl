// options: -cl-std=CL1.2
// __attribute__((vec_type_hint(T)))
kernel __attribute__((vec_type_hint(float4))) void k(global float4*p){ p[0]=1.0f; }
