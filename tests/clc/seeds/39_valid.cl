// options: -cl-std=CL1.2
// gentype covers char uchar short ushort int uint long ulong float, scalar and 2 3 4 8 16 vectors.
#define T(t) kernel void k_##t(global t *g, local t *l) { event_t e = async_work_group_strided_copy(l, g, 1, 1, 0); e = async_work_group_strided_copy(g, l, 1, 1, e); wait_group_events(1, &e); }
#define V(t) T(t) T(t##2) T(t##3) T(t##4) T(t##8) T(t##16)
V(char) V(uchar) V(short) V(ushort) V(int) V(uint) V(long) V(ulong) V(float)
