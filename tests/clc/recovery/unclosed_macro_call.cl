#define MAX(a,b) ((a) > (b) ? (a) : (b))
kernel void k(global float *a) {
  a[0] = MAX(a[1], a[2]; // error: unterminated call of macro 'MAX'
}
