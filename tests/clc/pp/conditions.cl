// options: -cl-std=CL2.0 -D N=4 -DFLAG -D "SUM(a,b)=((a)+(b))"
#if __OPENCL_C_VERSION__ == 200 && __OPENCL_VERSION__ >= 200 && CL_VERSION_2_0 == 200
ok1
#endif
#if N * 2 + 1 == 9 && SUM(1,2) == 3 && FLAG
ok2
#elif 1
bad
#else
bad don't mind the quote
#endif
#ifdef cl_khr_fp64
ok3
#endif
#ifdef __IMAGE_SUPPORT__
ok4
#endif
#if 0
#if 1
bad
#else
bad
#endif
#elif 'a' == 97 && -1 > 0u && (1 ? 2 : 1/0) == 2 && (0 && 1/0) == 0
ok5
#else
bad
#endif
#define X10(t) t t t t t t t t t t
#define X1000(t) X10(X10(X10(t)))
#if X1000(N == 3 ? 1 :) X1000(X10(N &&)) X1000(-) X1000(!) 7 == 1 && (0 ? 1u : -1) > 0 && (1 ? 2 : 0 ? 1/0 : 1/0) == 2
ok51
#endif
#if (1 ? 0 ? 5 : 6 : 7) == 6 && (0 ? 1 : 1 ? 8 : 9) == 8
ok52
#endif
#if defined N && defined(FLAG) && !defined NOT_THERE && NOT_THERE == 0
ok6
#endif
#if 0x7fffffffffffffff < 0x8000000000000000 && -1 >> 1 == -1 && ~0 == -1
ok7
#endif
#ifdef M_PI_F
ok8 INT_MIN
#endif
#undef M_PI_F
#ifndef M_PI_F
ok9 __FAST_RELAXED_MATH__
#endif
#define CHAR_BIT 9
CHAR_BIT __LINE__ __FILE__
#line 100 "other.cl"
__LINE__ __FILE__
_Pragma("unroll") after /* comment
over lines */ same line
//= ok1
//= ok2
//= ok3
//= ok4
//= ok5
//= ok51
//= ok52
//= ok6
//= ok7
//= ok8 (-2147483647 - 1)
//= ok9 __FAST_RELAXED_MATH__
//= 9 51 "conditions.cl"
//= 100 "other.cl" after same line
