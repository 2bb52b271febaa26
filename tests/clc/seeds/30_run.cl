// options: -cl-std=CL1.2
// Stride counts gentype elements, not bytes, also for vectors. Expect: o[1] == s[2].
kernel void k(global const float4 *s, global float4 *o, local float4 *l) { event_t e = async_work_group_strided_copy(l, s, 2, 2, 0); wait_group_events(1, &e); if (get_local_id(0) == 0) { o[0] = l[0]; o[1] = l[1]; } }
