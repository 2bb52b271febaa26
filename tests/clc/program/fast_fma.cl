// facts: fma
#if FP_FAST_FMAF != 1 || FP_FAST_FMA != 1
#error a machine with fused multiply-add says so
#endif
