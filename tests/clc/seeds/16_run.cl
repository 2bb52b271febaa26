// options: -cl-std=CL2.0
// The pointed-to space may depend on run-time control flow; stores go to the right memory. Expect: even items: g[i]==42, odd: 43.
kernel void k(global int *g, local int *l) { int *v; size_t i = get_global_id(0); if ((i & 1) == 0) v = g + i; else v = l + get_local_id(0); *v = 42; barrier(CLK_LOCAL_MEM_FENCE); if (i & 1) g[i] = l[get_local_id(0)] + 1; }
