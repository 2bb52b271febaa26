// s6.13.7: half precision in memory. The conversions are done on bits, so cl_khr_fp16 is not
// needed. All round once.

__op(half_to_float) floatn __half_to_float(ushortn h);
__op(float_to_half) ushortn __to_half(floatn x);
__op(float_to_half) ushortn __to_half(doublen x);

__each ushortn __to_half_rtz(floatn x)
{
    ushort h = __to_half(x);
    float back = __half_to_float(h);
    return fabs(back) > fabs(x) ? h - 1 : h;
}

__each ushortn __to_half_rtz(doublen x)
{
    ushort h = __to_half(x);
    double back = __half_to_float(h);
    return fabs(back) > fabs(x) ? h - 1 : h;
}

__each ushortn __to_half_rtp(floatn x)
{
    ushort h = __to_half(x);
    float back = __half_to_float(h);
    return back < x ? (back < 0 ? h - 1 : (back == 0 ? 1 : h + 1)) : h;
}

__each ushortn __to_half_rtp(doublen x)
{
    ushort h = __to_half(x);
    double back = __half_to_float(h);
    return back < x ? (back < 0 ? h - 1 : (back == 0 ? 1 : h + 1)) : h;
}

__each ushortn __to_half_rtn(floatn x)
{
    ushort h = __to_half(x);
    float back = __half_to_float(h);
    return back > x ? (back > 0 ? h - 1 : (back == 0 ? 0x8001 : h + 1)) : h;
}

__each ushortn __to_half_rtn(doublen x)
{
    ushort h = __to_half(x);
    double back = __half_to_float(h);
    return back > x ? (back > 0 ? h - 1 : (back == 0 ? 0x8001 : h + 1)) : h;
}

float vload_half(size_t offset, const __readable half *p)
{
    return __half_to_float(((const __readable ushort *)p)[offset]);
}

float2 vload_half2(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload2((const __readable ushort *)p + offset * 2));
}

float2 vloada_half2(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload2((const __readable ushort *)p + offset * 2));
}

__since(110) float3 vload_half3(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload3((const __readable ushort *)p + offset * 3));
}

__since(110) float3 vloada_half3(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload3((const __readable ushort *)p + offset * 4));
}

float4 vload_half4(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload4((const __readable ushort *)p + offset * 4));
}

float4 vloada_half4(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload4((const __readable ushort *)p + offset * 4));
}

float8 vload_half8(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload8((const __readable ushort *)p + offset * 8));
}

float8 vloada_half8(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload8((const __readable ushort *)p + offset * 8));
}

float16 vload_half16(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload16((const __readable ushort *)p + offset * 16));
}

float16 vloada_half16(size_t offset, const __readable half *p)
{
    return __half_to_float(__vload16((const __readable ushort *)p + offset * 16));
}

void vstore_half(float data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half(data);
}

void vstore_half2(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half(data), (__any ushort *)p + offset * 2);
}

void vstorea_half2(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half(data), (__any ushort *)p + offset * 2);
}

__since(110) void vstore_half3(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half(data), (__any ushort *)p + offset * 3);
}

__since(110) void vstorea_half3(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half(data), (__any ushort *)p + offset * 4);
}

void vstore_half4(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half(data), (__any ushort *)p + offset * 4);
}

void vstorea_half4(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half(data), (__any ushort *)p + offset * 4);
}

void vstore_half8(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half(data), (__any ushort *)p + offset * 8);
}

void vstorea_half8(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half(data), (__any ushort *)p + offset * 8);
}

void vstore_half16(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half(data), (__any ushort *)p + offset * 16);
}

void vstorea_half16(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half(data), (__any ushort *)p + offset * 16);
}

void vstore_half_rte(float data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half(data);
}

void vstore_half2_rte(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half(data), (__any ushort *)p + offset * 2);
}

void vstorea_half2_rte(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half(data), (__any ushort *)p + offset * 2);
}

__since(110) void vstore_half3_rte(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half(data), (__any ushort *)p + offset * 3);
}

__since(110) void vstorea_half3_rte(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half(data), (__any ushort *)p + offset * 4);
}

void vstore_half4_rte(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half(data), (__any ushort *)p + offset * 4);
}

void vstorea_half4_rte(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half(data), (__any ushort *)p + offset * 4);
}

void vstore_half8_rte(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half(data), (__any ushort *)p + offset * 8);
}

void vstorea_half8_rte(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half(data), (__any ushort *)p + offset * 8);
}

void vstore_half16_rte(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half(data), (__any ushort *)p + offset * 16);
}

void vstorea_half16_rte(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half(data), (__any ushort *)p + offset * 16);
}

void vstore_half_rtz(float data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half_rtz(data);
}

void vstore_half2_rtz(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtz(data), (__any ushort *)p + offset * 2);
}

void vstorea_half2_rtz(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtz(data), (__any ushort *)p + offset * 2);
}

__since(110) void vstore_half3_rtz(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtz(data), (__any ushort *)p + offset * 3);
}

__since(110) void vstorea_half3_rtz(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtz(data), (__any ushort *)p + offset * 4);
}

void vstore_half4_rtz(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtz(data), (__any ushort *)p + offset * 4);
}

void vstorea_half4_rtz(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtz(data), (__any ushort *)p + offset * 4);
}

void vstore_half8_rtz(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtz(data), (__any ushort *)p + offset * 8);
}

void vstorea_half8_rtz(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtz(data), (__any ushort *)p + offset * 8);
}

void vstore_half16_rtz(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtz(data), (__any ushort *)p + offset * 16);
}

void vstorea_half16_rtz(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtz(data), (__any ushort *)p + offset * 16);
}

void vstore_half_rtp(float data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half_rtp(data);
}

void vstore_half2_rtp(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtp(data), (__any ushort *)p + offset * 2);
}

void vstorea_half2_rtp(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtp(data), (__any ushort *)p + offset * 2);
}

__since(110) void vstore_half3_rtp(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtp(data), (__any ushort *)p + offset * 3);
}

__since(110) void vstorea_half3_rtp(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtp(data), (__any ushort *)p + offset * 4);
}

void vstore_half4_rtp(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtp(data), (__any ushort *)p + offset * 4);
}

void vstorea_half4_rtp(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtp(data), (__any ushort *)p + offset * 4);
}

void vstore_half8_rtp(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtp(data), (__any ushort *)p + offset * 8);
}

void vstorea_half8_rtp(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtp(data), (__any ushort *)p + offset * 8);
}

void vstore_half16_rtp(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtp(data), (__any ushort *)p + offset * 16);
}

void vstorea_half16_rtp(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtp(data), (__any ushort *)p + offset * 16);
}

void vstore_half_rtn(float data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half_rtn(data);
}

void vstore_half2_rtn(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtn(data), (__any ushort *)p + offset * 2);
}

void vstorea_half2_rtn(float2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtn(data), (__any ushort *)p + offset * 2);
}

__since(110) void vstore_half3_rtn(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtn(data), (__any ushort *)p + offset * 3);
}

__since(110) void vstorea_half3_rtn(float3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtn(data), (__any ushort *)p + offset * 4);
}

void vstore_half4_rtn(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtn(data), (__any ushort *)p + offset * 4);
}

void vstorea_half4_rtn(float4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtn(data), (__any ushort *)p + offset * 4);
}

void vstore_half8_rtn(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtn(data), (__any ushort *)p + offset * 8);
}

void vstorea_half8_rtn(float8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtn(data), (__any ushort *)p + offset * 8);
}

void vstore_half16_rtn(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtn(data), (__any ushort *)p + offset * 16);
}

void vstorea_half16_rtn(float16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtn(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstore_half(double data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half(data);
}

__ext(cl_khr_fp64) void vstore_half2(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) void vstorea_half2(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) __since(110) void vstore_half3(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half(data), (__any ushort *)p + offset * 3);
}

__ext(cl_khr_fp64) __since(110) void vstorea_half3(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half4(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstorea_half4(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half8(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstorea_half8(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstore_half16(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstorea_half16(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstore_half_rte(double data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half(data);
}

__ext(cl_khr_fp64) void vstore_half2_rte(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) void vstorea_half2_rte(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) __since(110) void vstore_half3_rte(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half(data), (__any ushort *)p + offset * 3);
}

__ext(cl_khr_fp64) __since(110) void vstorea_half3_rte(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half4_rte(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstorea_half4_rte(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half8_rte(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstorea_half8_rte(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstore_half16_rte(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstorea_half16_rte(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstore_half_rtz(double data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half_rtz(data);
}

__ext(cl_khr_fp64) void vstore_half2_rtz(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtz(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) void vstorea_half2_rtz(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtz(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) __since(110) void vstore_half3_rtz(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtz(data), (__any ushort *)p + offset * 3);
}

__ext(cl_khr_fp64) __since(110) void vstorea_half3_rtz(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtz(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half4_rtz(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtz(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstorea_half4_rtz(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtz(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half8_rtz(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtz(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstorea_half8_rtz(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtz(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstore_half16_rtz(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtz(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstorea_half16_rtz(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtz(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstore_half_rtp(double data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half_rtp(data);
}

__ext(cl_khr_fp64) void vstore_half2_rtp(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtp(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) void vstorea_half2_rtp(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtp(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) __since(110) void vstore_half3_rtp(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtp(data), (__any ushort *)p + offset * 3);
}

__ext(cl_khr_fp64) __since(110) void vstorea_half3_rtp(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtp(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half4_rtp(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtp(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstorea_half4_rtp(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtp(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half8_rtp(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtp(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstorea_half8_rtp(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtp(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstore_half16_rtp(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtp(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstorea_half16_rtp(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtp(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstore_half_rtn(double data, size_t offset, __any half *p)
{
    ((__any ushort *)p)[offset] = __to_half_rtn(data);
}

__ext(cl_khr_fp64) void vstore_half2_rtn(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtn(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) void vstorea_half2_rtn(double2 data, size_t offset, __any half *p)
{
    __vstore2(__to_half_rtn(data), (__any ushort *)p + offset * 2);
}

__ext(cl_khr_fp64) __since(110) void vstore_half3_rtn(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtn(data), (__any ushort *)p + offset * 3);
}

__ext(cl_khr_fp64) __since(110) void vstorea_half3_rtn(double3 data, size_t offset, __any half *p)
{
    __vstore3(__to_half_rtn(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half4_rtn(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtn(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstorea_half4_rtn(double4 data, size_t offset, __any half *p)
{
    __vstore4(__to_half_rtn(data), (__any ushort *)p + offset * 4);
}

__ext(cl_khr_fp64) void vstore_half8_rtn(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtn(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstorea_half8_rtn(double8 data, size_t offset, __any half *p)
{
    __vstore8(__to_half_rtn(data), (__any ushort *)p + offset * 8);
}

__ext(cl_khr_fp64) void vstore_half16_rtn(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtn(data), (__any ushort *)p + offset * 16);
}

__ext(cl_khr_fp64) void vstorea_half16_rtn(double16 data, size_t offset, __any half *p)
{
    __vstore16(__to_half_rtn(data), (__any ushort *)p + offset * 16);
}
