// options: -cl-std=CL2.0
// explicit orders
kernel void k(global atomic_int*a, global int*g){ atomic_store_explicit(a,1,memory_order_release); g[0]=atomic_load_explicit(a,memory_order_acquire,memory_scope_device); }
