// options: -cl-std=CL1.2
// no members, pointers, arrays of samplers
struct S { sampler_t s; }; // error: a member cannot have this type
kernel void k(sampler_t *s){} // error: pointers to 'sampler_t' are not allowed
