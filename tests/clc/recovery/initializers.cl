kernel void k(global int *g) {
  int a[3] = {1, 2, 3, 4}; // warning: too many values for the array
  int c[1] = {1, missing, {2, {lost}}}; // error: undeclared identifier 'missing' // error: undeclared identifier 'lost' // warning: too many values
  int b[2] = {1 2}; // error: expected ',' or '}' before '2'
  g[0] = a[0] + b[0] + c[0];
}
