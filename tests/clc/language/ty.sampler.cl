// options: -cl-std=CL1.2
// sampler_t as argument or constant program/kernel scope variable
constant sampler_t a=CLK_FILTER_NEAREST; const sampler_t b=CLK_ADDRESS_CLAMP; void f(sampler_t s){} kernel void k(sampler_t s){ const sampler_t t=CLK_NORMALIZED_COORDS_TRUE|CLK_FILTER_LINEAR; f(s); f(t); f(a); f(b); }
