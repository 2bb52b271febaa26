// options: -cl-std=CL1.2
// 3-component vectors copy as 4-component ones: element size and stride unit are 4 * sizeof(scalar). Expect: o[0] is the int at byte offset 32 of s, o[1] at offset 40.
kernel void k(global const int3 *s, global int *o, local int3 *l) { event_t e = async_work_group_strided_copy(l, s, 2, 2, 0); wait_group_events(1, &e); if (get_local_id(0) == 0) { o[0] = l[1].x; o[1] = l[1].z; } }
