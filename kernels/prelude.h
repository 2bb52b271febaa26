// Macros of the language (s6.13, s6.15): looked up by name, one at a time.

// s6.13.2.1, s6.15.2: floating point limits.
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP +38
#define FLT_MAX_EXP +128
#define FLT_MIN_10_EXP -37
#define FLT_MIN_EXP -125
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN 2147483647
#define MAXFLOAT 0x1.fffffep127f
#define HUGE_VALF as_float(0x7f800000)
#define INFINITY as_float(0x7f800000)
#define NAN as_float(0x7fc00000)
#ifdef fma
#define FP_FAST_FMAF 1
#endif

#define M_E_F 2.718281828459045235360f
#define M_LOG2E_F 1.442695040888963407360f
#define M_LOG10E_F 0.434294481903251827651f
#define M_LN2_F 0.693147180559945309417f
#define M_LN10_F 2.302585092994045684018f
#define M_PI_F 3.141592653589793238463f
#define M_PI_2_F 1.570796326794896619231f
#define M_PI_4_F 0.785398163397448309616f
#define M_1_PI_F 0.318309886183790671538f
#define M_2_PI_F 0.636619772367581343076f
#define M_2_SQRTPI_F 1.128379167095512573896f
#define M_SQRT2_F 1.414213562373095048802f
#define M_SQRT1_2_F 0.707106781186547524401f

#ifdef cl_khr_fp64
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MAX_10_EXP +308
#define DBL_MAX_EXP +1024
#define DBL_MIN_10_EXP -307
#define DBL_MIN_EXP -1021
#define DBL_RADIX 2
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_MIN 0x1.0p-1022
#define DBL_EPSILON 0x1.0p-52
#define HUGE_VAL as_double(0x7ff0000000000000L)
#define M_E 2.718281828459045235360
#define M_LOG2E 1.442695040888963407360
#define M_LOG10E 0.434294481903251827651
#define M_LN2 0.693147180559945309417
#define M_LN10 2.302585092994045684018
#define M_PI 3.141592653589793238463
#define M_PI_2 1.570796326794896619231
#define M_PI_4 0.785398163397448309616
#define M_1_PI 0.318309886183790671538
#define M_2_PI 0.636619772367581343076
#define M_2_SQRTPI 1.128379167095512573896
#define M_SQRT2 1.414213562373095048802
#define M_SQRT1_2 0.707106781186547524401
#endif

#ifdef cl_khr_fp16
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP +4
#define HALF_MAX_EXP +16
#define HALF_MIN_10_EXP -4
#define HALF_MIN_EXP -13
#define HALF_RADIX 2
#define HALF_MAX 0x1.ffcp15h
#define HALF_MIN 0x1.0p-14h
#define HALF_EPSILON 0x1.0p-10h
#define FP_FAST_FMA_HALF 1
#define M_E_H 2.71828182845904523536h
#define M_LOG2E_H 1.44269504088896340736h
#define M_LOG10E_H 0.43429448190325182765h
#define M_LN2_H 0.69314718055994530942h
#define M_LN10_H 2.30258509299404568402h
#define M_PI_H 3.14159265358979323846h
#define M_PI_2_H 1.57079632679489661923h
#define M_PI_4_H 0.78539816339744830962h
#define M_1_PI_H 0.31830988618379067154h
#define M_2_PI_H 0.63661977236758134308h
#define M_2_SQRTPI_H 1.12837916709551257390h
#define M_SQRT2_H 1.41421356237309504880h
#define M_SQRT1_2_H 0.70710678118654752440h
#endif

#ifdef cl_khr_fp64
#ifdef fma
#define FP_FAST_FMA 1
#endif
#endif

// s6.13.3: integer limits.
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-127 - 1)
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define SHRT_MAX 32767
#define SHRT_MIN (-32767 - 1)
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define LONG_MAX 0x7fffffffffffffffL
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#define UCHAR_MAX 255
#define USHRT_MAX 65535
#define UINT_MAX 0xffffffff
#define ULONG_MAX 0xffffffffffffffffUL

// s6.11, s6.10: versions and the rest of what is predefined.
#define CL_VERSION_1_0 100
#define CL_VERSION_1_1 110
#define CL_VERSION_1_2 120
#define CL_VERSION_2_0 200
#define __ROUNDING_MODE__ rte
#define __kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))
#define kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))
#define NULL ((void *)0)

// s6.13.14: samplers.
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE 1
#define CLK_ADDRESS_NONE 0
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#define CLK_ADDRESS_CLAMP 4
#define CLK_ADDRESS_REPEAT 6
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#define CLK_FILTER_NEAREST 0x10
#define CLK_FILTER_LINEAR 0x20

// s6.13.14.7: channel types and orders, with the numbers of the host API.
#define CLK_SNORM_INT8 0x10D0
#define CLK_SNORM_INT16 0x10D1
#define CLK_UNORM_INT8 0x10D2
#define CLK_UNORM_INT16 0x10D3
#define CLK_UNORM_SHORT_565 0x10D4
#define CLK_UNORM_SHORT_555 0x10D5
#define CLK_UNORM_INT_101010 0x10D6
#define CLK_SIGNED_INT8 0x10D7
#define CLK_SIGNED_INT16 0x10D8
#define CLK_SIGNED_INT32 0x10D9
#define CLK_UNSIGNED_INT8 0x10DA
#define CLK_UNSIGNED_INT16 0x10DB
#define CLK_UNSIGNED_INT32 0x10DC
#define CLK_HALF_FLOAT 0x10DD
#define CLK_FLOAT 0x10DE
#define CLK_UNORM_INT_101010_2 0x10E0
#define CLK_R 0x10B0
#define CLK_A 0x10B1
#define CLK_RG 0x10B2
#define CLK_RA 0x10B3
#define CLK_RGB 0x10B4
#define CLK_RGBA 0x10B5
#define CLK_BGRA 0x10B6
#define CLK_ARGB 0x10B7
#define CLK_INTENSITY 0x10B8
#define CLK_LUMINANCE 0x10B9
#define CLK_Rx 0x10BA
#define CLK_RGx 0x10BB
#define CLK_RGBx 0x10BC
#define CLK_DEPTH 0x10BD
#define CLK_sRGB 0x10BF
#define CLK_sRGBx 0x10C0
#define CLK_sRGBA 0x10C1
#define CLK_sBGRA 0x10C2
#define CLK_ABGR 0x10C3

// s6.13.8: fences.
#define CLK_LOCAL_MEM_FENCE 1u
#define CLK_GLOBAL_MEM_FENCE 2u
#define CLK_IMAGE_MEM_FENCE 4u

#if __OPENCL_C_VERSION__ >= 200
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#define CLK_NULL_EVENT 0
#define CLK_NULL_QUEUE 0
#define CLK_NULL_RESERVE_ID 0

// s6.13.17: device-side enqueue.
#define CLK_ENQUEUE_FLAGS_NO_WAIT 0
#define CLK_ENQUEUE_FLAGS_WAIT_KERNEL 1
#define CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP 2
#define CLK_PROFILING_COMMAND_EXEC_TIME 1
#define CLK_SUCCESS 0
#define CLK_OUT_OF_RESOURCES (-5)
#define CLK_INVALID_ARG_SIZE (-51)
#define CLK_INVALID_EVENT_WAIT_LIST (-57)
#define CLK_EVENT_ALLOCATION_FAILURE (-100)
#define CLK_ENQUEUE_FAILURE (-101)
#define CLK_INVALID_QUEUE (-102)
#define CLK_INVALID_NDRANGE (-160)
#define CLK_DEVICE_QUEUE_FULL (-161)
#define CL_COMPLETE 0
#define CL_RUNNING 1
#define CL_SUBMITTED 2
#define CL_QUEUED 3

// cl_ext_float_atomics: all of it.
#ifdef cl_ext_float_atomics
#define __opencl_c_ext_fp32_global_atomic_add 1
#define __opencl_c_ext_fp32_global_atomic_min_max 1
#define __opencl_c_ext_fp32_local_atomic_add 1
#define __opencl_c_ext_fp32_local_atomic_min_max 1
#ifdef cl_khr_fp64
#define __opencl_c_ext_fp64_global_atomic_add 1
#define __opencl_c_ext_fp64_global_atomic_min_max 1
#define __opencl_c_ext_fp64_local_atomic_add 1
#define __opencl_c_ext_fp64_local_atomic_min_max 1
#endif
#ifdef cl_khr_fp16
#define __opencl_c_ext_fp16_global_atomic_load_store 1
#define __opencl_c_ext_fp16_global_atomic_add 1
#define __opencl_c_ext_fp16_global_atomic_min_max 1
#define __opencl_c_ext_fp16_local_atomic_load_store 1
#define __opencl_c_ext_fp16_local_atomic_add 1
#define __opencl_c_ext_fp16_local_atomic_min_max 1
#endif
#endif
#endif

// cl_khr_kernel_clock: all of it.
#ifdef cl_khr_kernel_clock
#define __opencl_c_kernel_clock_scope_device 1
#define __opencl_c_kernel_clock_scope_work_group 1
#define __opencl_c_kernel_clock_scope_sub_group 1
#endif

// OpenCL C 3.0 s6.2.1: what a device may leave out and this one does not.
#if __OPENCL_C_VERSION__ >= 300
#define CL_VERSION_3_0 300
#define __opencl_c_int64 1
#define __opencl_c_generic_address_space 1
#define __opencl_c_program_scope_global_variables 1
#define __opencl_c_atomic_order_acq_rel 1
#define __opencl_c_atomic_order_seq_cst 1
#define __opencl_c_atomic_scope_device 1
#define __opencl_c_atomic_scope_all_devices 1
#define __opencl_c_work_group_collective_functions 1
#ifdef cl_khr_fp64
#define __opencl_c_fp64 1
#endif
#ifdef images
#define __opencl_c_images 1
#define __opencl_c_read_write_images 1
#define __opencl_c_3d_image_writes 1
#endif
#ifdef pipes
#define __opencl_c_pipes 1
#endif
#ifdef device_enqueue
#define __opencl_c_device_enqueue 1
#endif
#ifdef cl_khr_subgroups
#define __opencl_c_subgroups 1
#endif
#endif

// Used by the library only: the limits of an integer type, lane by lane.
#define __IS_SIGNED(T) ((T)-1 < (T)0)
#define __MAX_OF(T) ((T)(__IS_SIGNED(T) ? ((ulong)1 << (8 * sizeof(T) - 1)) - 1 : ~(ulong)0))
#define __MIN_OF(T) ((T)(__IS_SIGNED(T) ? (ulong)1 << (8 * sizeof(T) - 1) : 0))

// What clang defines and programs written for it ask for: sizes, limits and types.
#define __CHAR_BIT__ 8
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __LONG_LONG_MAX__ 9223372036854775807L
#define __SIZE_MAX__ 18446744073709551615UL
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_FLOAT__ 4
#define __SIZEOF_DOUBLE__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __SIZEOF_PTRDIFF_T__ 8
#define __LP64__ 1
#define _LP64 1
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __ORDER_PDP_ENDIAN__ 3412
#define __BYTE_ORDER__ 1234
#define __LITTLE_ENDIAN__ 1
#define __INT8_TYPE__ char
#define __INT16_TYPE__ short
#define __INT32_TYPE__ int
#define __INT64_TYPE__ long
#define __UINT8_TYPE__ uchar
#define __UINT16_TYPE__ ushort
#define __UINT32_TYPE__ uint
#define __UINT64_TYPE__ ulong
#define __INTPTR_TYPE__ long
#define __UINTPTR_TYPE__ ulong
#define __SIZE_TYPE__ ulong
#define __PTRDIFF_TYPE__ long
#define __FLT_RADIX__ 2
#define __FLT_DIG__ 6
#define __FLT_MANT_DIG__ 24
#define __FLT_MAX_EXP__ 128
#define __FLT_MIN_EXP__ (-125)
#define __FLT_MAX_10_EXP__ 38
#define __FLT_MIN_10_EXP__ (-37)
#define __FLT_MAX__ 0x1.fffffep127f
#define __FLT_MIN__ 0x1.0p-126f
#define __FLT_DENORM_MIN__ 0x1.0p-149f
#define __FLT_EPSILON__ 0x1.0p-23f
#ifdef cl_khr_fp64
#define __DBL_DIG__ 15
#define __DBL_MANT_DIG__ 53
#define __DBL_MAX_EXP__ 1024
#define __DBL_MIN_EXP__ (-1021)
#define __DBL_MAX_10_EXP__ 308
#define __DBL_MIN_10_EXP__ (-307)
#define __DBL_MAX__ 0x1.fffffffffffffp1023
#define __DBL_MIN__ 0x1.0p-1022
#define __DBL_DENORM_MIN__ 0x1.0p-1074
#define __DBL_EPSILON__ 0x1.0p-52
#endif
#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
