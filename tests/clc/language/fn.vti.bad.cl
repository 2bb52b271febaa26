// options: -cl-std=CL1.2
// __attribute__((vec_type_hint(T)))
kernel __attribute__((vec_type_hint(void))) void k(void){} // error: 'vec_type_hint' takes a scalar or vector type
