// options: -cl-std=CL1.2
// 3-component vectors occupy 4 elements and align to 4
constant int a[sizeof(int3)==16 && sizeof(char3)==4 && sizeof(double3)==32 ? 1 : -1] = {0};
struct S { char c; float3 v; };
constant int b[sizeof(struct S)==32 ? 1 : -1] = {0};
