// Functions of clang on each component of a vector, or on a scalar.

igentype __builtin_elementwise_abs(igentype x) { return as_igentype(abs(x)); }
gentypef __builtin_elementwise_abs(gentypef x) { return fabs(x); }
gentypei __builtin_elementwise_max(gentypei x, gentypei y) { return max(x, y); }
gentypef __builtin_elementwise_max(gentypef x, gentypef y) { return fmax(x, y); }
gentypei __builtin_elementwise_min(gentypei x, gentypei y) { return min(x, y); }
gentypef __builtin_elementwise_min(gentypef x, gentypef y) { return fmin(x, y); }
gentypei __builtin_elementwise_add_sat(gentypei x, gentypei y) { return add_sat(x, y); }
gentypei __builtin_elementwise_sub_sat(gentypei x, gentypei y) { return sub_sat(x, y); }
gentypei __builtin_elementwise_popcount(gentypei x) { return __popcount(x); }
gentypei __builtin_elementwise_bitreverse(gentypei x) { return as_gentypei(__reverse(as_uinttype(x))); }
gentypef __builtin_elementwise_fma(gentypef x, gentypef y, gentypef z) { return fma(x, y, z); }
gentypef __builtin_elementwise_canonicalize(gentypef x) { return x * (gentypef)1; }
gentypef __builtin_elementwise_acos(gentypef x) { return acos(x); }
gentypef __builtin_elementwise_asin(gentypef x) { return asin(x); }
gentypef __builtin_elementwise_atan(gentypef x) { return atan(x); }
gentypef __builtin_elementwise_ceil(gentypef x) { return ceil(x); }
gentypef __builtin_elementwise_cos(gentypef x) { return cos(x); }
gentypef __builtin_elementwise_cosh(gentypef x) { return cosh(x); }
gentypef __builtin_elementwise_exp(gentypef x) { return exp(x); }
gentypef __builtin_elementwise_exp2(gentypef x) { return exp2(x); }
gentypef __builtin_elementwise_exp10(gentypef x) { return exp10(x); }
gentypef __builtin_elementwise_floor(gentypef x) { return floor(x); }
gentypef __builtin_elementwise_log(gentypef x) { return log(x); }
gentypef __builtin_elementwise_log2(gentypef x) { return log2(x); }
gentypef __builtin_elementwise_log10(gentypef x) { return log10(x); }
gentypef __builtin_elementwise_rint(gentypef x) { return rint(x); }
gentypef __builtin_elementwise_round(gentypef x) { return round(x); }
gentypef __builtin_elementwise_sin(gentypef x) { return sin(x); }
gentypef __builtin_elementwise_sinh(gentypef x) { return sinh(x); }
gentypef __builtin_elementwise_sqrt(gentypef x) { return sqrt(x); }
gentypef __builtin_elementwise_tan(gentypef x) { return tan(x); }
gentypef __builtin_elementwise_tanh(gentypef x) { return tanh(x); }
gentypef __builtin_elementwise_trunc(gentypef x) { return trunc(x); }
gentypef __builtin_elementwise_nearbyint(gentypef x) { return rint(x); }
gentypef __builtin_elementwise_roundeven(gentypef x) { return rint(x); }
gentypef __builtin_elementwise_atan2(gentypef x, gentypef y) { return atan2(x, y); }
gentypef __builtin_elementwise_copysign(gentypef x, gentypef y) { return copysign(x, y); }
gentypef __builtin_elementwise_fmod(gentypef x, gentypef y) { return fmod(x, y); }
gentypef __builtin_elementwise_pow(gentypef x, gentypef y) { return pow(x, y); }
gentypef __builtin_elementwise_maxnum(gentypef x, gentypef y) { return fmax(x, y); }
gentypef __builtin_elementwise_minnum(gentypef x, gentypef y) { return fmin(x, y); }

// All components of a vector put together, by halves.

sgentypei __builtin_reduce_add(gentypei2 v) { return (sgentypei)(v.x + v.y); }
sgentypei __builtin_reduce_add(gentypei3 v) { return (sgentypei)((sgentypei)(v.x + v.y) + v.z); }
sgentypei __builtin_reduce_add(gentypei4 v) { return __builtin_reduce_add(v.lo + v.hi); }
sgentypei __builtin_reduce_add(gentypei8 v) { return __builtin_reduce_add(v.lo + v.hi); }
sgentypei __builtin_reduce_add(gentypei16 v) { return __builtin_reduce_add(v.lo + v.hi); }
sgentypei __builtin_reduce_mul(gentypei2 v) { return (sgentypei)(v.x * v.y); }
sgentypei __builtin_reduce_mul(gentypei3 v) { return (sgentypei)((sgentypei)(v.x * v.y) * v.z); }
sgentypei __builtin_reduce_mul(gentypei4 v) { return __builtin_reduce_mul(v.lo * v.hi); }
sgentypei __builtin_reduce_mul(gentypei8 v) { return __builtin_reduce_mul(v.lo * v.hi); }
sgentypei __builtin_reduce_mul(gentypei16 v) { return __builtin_reduce_mul(v.lo * v.hi); }
sgentypei __builtin_reduce_and(gentypei2 v) { return (sgentypei)(v.x & v.y); }
sgentypei __builtin_reduce_and(gentypei3 v) { return (sgentypei)((sgentypei)(v.x & v.y) & v.z); }
sgentypei __builtin_reduce_and(gentypei4 v) { return __builtin_reduce_and(v.lo & v.hi); }
sgentypei __builtin_reduce_and(gentypei8 v) { return __builtin_reduce_and(v.lo & v.hi); }
sgentypei __builtin_reduce_and(gentypei16 v) { return __builtin_reduce_and(v.lo & v.hi); }
sgentypei __builtin_reduce_or(gentypei2 v) { return (sgentypei)(v.x | v.y); }
sgentypei __builtin_reduce_or(gentypei3 v) { return (sgentypei)((sgentypei)(v.x | v.y) | v.z); }
sgentypei __builtin_reduce_or(gentypei4 v) { return __builtin_reduce_or(v.lo | v.hi); }
sgentypei __builtin_reduce_or(gentypei8 v) { return __builtin_reduce_or(v.lo | v.hi); }
sgentypei __builtin_reduce_or(gentypei16 v) { return __builtin_reduce_or(v.lo | v.hi); }
sgentypei __builtin_reduce_xor(gentypei2 v) { return (sgentypei)(v.x ^ v.y); }
sgentypei __builtin_reduce_xor(gentypei3 v) { return (sgentypei)((sgentypei)(v.x ^ v.y) ^ v.z); }
sgentypei __builtin_reduce_xor(gentypei4 v) { return __builtin_reduce_xor(v.lo ^ v.hi); }
sgentypei __builtin_reduce_xor(gentypei8 v) { return __builtin_reduce_xor(v.lo ^ v.hi); }
sgentypei __builtin_reduce_xor(gentypei16 v) { return __builtin_reduce_xor(v.lo ^ v.hi); }
sgentypei __builtin_reduce_max(gentypei2 v) { return max(v.x, v.y); }
sgentypei __builtin_reduce_max(gentypei3 v) { return max(max(v.x, v.y), v.z); }
sgentypei __builtin_reduce_max(gentypei4 v) { return __builtin_reduce_max(max(v.lo, v.hi)); }
sgentypei __builtin_reduce_max(gentypei8 v) { return __builtin_reduce_max(max(v.lo, v.hi)); }
sgentypei __builtin_reduce_max(gentypei16 v) { return __builtin_reduce_max(max(v.lo, v.hi)); }
sgentypef __builtin_reduce_max(gentypef2 v) { return fmax(v.x, v.y); }
sgentypef __builtin_reduce_max(gentypef3 v) { return fmax(fmax(v.x, v.y), v.z); }
sgentypef __builtin_reduce_max(gentypef4 v) { return __builtin_reduce_max(fmax(v.lo, v.hi)); }
sgentypef __builtin_reduce_max(gentypef8 v) { return __builtin_reduce_max(fmax(v.lo, v.hi)); }
sgentypef __builtin_reduce_max(gentypef16 v) { return __builtin_reduce_max(fmax(v.lo, v.hi)); }
sgentypei __builtin_reduce_min(gentypei2 v) { return min(v.x, v.y); }
sgentypei __builtin_reduce_min(gentypei3 v) { return min(min(v.x, v.y), v.z); }
sgentypei __builtin_reduce_min(gentypei4 v) { return __builtin_reduce_min(min(v.lo, v.hi)); }
sgentypei __builtin_reduce_min(gentypei8 v) { return __builtin_reduce_min(min(v.lo, v.hi)); }
sgentypei __builtin_reduce_min(gentypei16 v) { return __builtin_reduce_min(min(v.lo, v.hi)); }
sgentypef __builtin_reduce_min(gentypef2 v) { return fmin(v.x, v.y); }
sgentypef __builtin_reduce_min(gentypef3 v) { return fmin(fmin(v.x, v.y), v.z); }
sgentypef __builtin_reduce_min(gentypef4 v) { return __builtin_reduce_min(fmin(v.lo, v.hi)); }
sgentypef __builtin_reduce_min(gentypef8 v) { return __builtin_reduce_min(fmin(v.lo, v.hi)); }
sgentypef __builtin_reduce_min(gentypef16 v) { return __builtin_reduce_min(fmin(v.lo, v.hi)); }
