// options: -cl-std=CL2.0
// ndrange_t local variable
void f(ndrange_t n){} kernel void k(void){ ndrange_t n; f(n); }
