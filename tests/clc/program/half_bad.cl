// What half does not allow, with cl_khr_fp16 too.
half remains(half a) { return a % 2; } // error: invalid operands
half ands(half a) { return a & 1; } // error: invalid operands
half4 outranked(half4 v, float s) { return v * s; } // error: rank
half4 other(float4 v) { return v; } // error: cannot return 'float4' as 'half4'
half none(half2 a) { return native_sin(a).x; } // error: no built-in function 'native_sin' takes (half2)
float4 cut(half4 v) { return as_float4(v); } // error: as_float4
int index(global int *p, half h) { return p[h]; } // error: cannot subscript
