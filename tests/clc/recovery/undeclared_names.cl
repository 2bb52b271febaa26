kernel void k(global int *g) {
  int i = get_global_ids(0); // error: use of undeclared identifier 'get_global_ids'; did you mean 'get_global_id'?
  g[i] = foo(i) + bar; // error: use of undeclared identifier 'foo' // error: use of undeclared identifier 'bar'
  g[i] = bar;
  undefined_t q; // error: unknown type name 'undefined_t'
}
