// s6.15.2: the macros are defined only if fma is about as fast as a product and a sum.
#if defined(FP_FAST_FMAF) || defined(FP_FAST_FMA)
#error a machine without fused multiply-add does not say so
#endif
