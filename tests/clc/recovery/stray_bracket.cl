kernel void k(global float *a, global float *b, global float *c) {
  int i = get_global_id(0);
  c[i] = a[i] * b[i]]; // error: expected ';' before ']'
  c[i] += 1.0f;
}
