// Members are no more aligned than a pragma says.
struct before { char c; int i; };
#pragma pack(push, 1)
struct one { char c; int i; long l; };
#pragma pack(2)
struct two { char c; int i; };
#pragma pack(push)
#pragma pack()
struct natural { char c; int i; };
#pragma pack(pop)
struct again { char c; int i; struct { char c; long l; } in; };
#pragma pack(pop)
struct after { char c; int i; };
_Pragma("pack(push, 4)") struct four { char c; double d; _Alignas(16) char e; };
#pragma pack(pop)
#pragma pack(pop) // warning: '#pragma pack(pop)' without a push
#pragma pack(3) // warning: '#pragma pack' takes
#pragma pack(push, name, 1) // warning: '#pragma pack' takes
_Static_assert(sizeof(struct before) == 8 && sizeof(struct one) == 13 && sizeof(struct two) == 6, "");
_Static_assert(sizeof(struct natural) == 8 && sizeof(struct again) == 16 && sizeof(struct after) == 8, "");
_Static_assert(sizeof(struct four) == 16 && _Alignof(struct four) == 4, "");
_Static_assert(__builtin_offsetof(struct again, in.l) == 8, "");
kernel void k(global struct one *p, global float4 *v) { p->l = sin(v->x); }
