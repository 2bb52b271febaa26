kernel void k(global float *a) {
  a[0] = 1.0.0; // error: invalid floating constant '1.0.0'
  a[1] = 0x; // error: invalid integer constant '0x'
  a[2] = 09; // error: invalid integer constant '09'
  a[3] = 1.5fg; // error: invalid floating constant '1.5fg'
  a[5] = 3;
}
