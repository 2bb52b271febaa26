kernal void k(global int *g) { // error: unknown type name 'kernal'; did you mean 'kernel'?
  g[0] = 1;
}
__kernel viod l(__golbal int *g) { // error: unknown type name 'viod'; did you mean 'void'? // error: unknown type name '__golbal'; did you mean '__global'?
  retrun; // error: use of undeclared identifier 'retrun'; did you mean 'return'?
  whlie (1) { g[0] = 1; } // error: use of undeclared identifier 'whlie'; did you mean 'while'?
}
