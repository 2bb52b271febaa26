// options: -cl-single-precision-constant
// literals are float
constant int a[sizeof(1.0)==4 ? 1 : -1] = {0};
