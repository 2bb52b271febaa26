// options: -cl-std=CL2.0
#define FENCE CLK_LOCAL_MEM_FENCE
void wait(void) { barrier(FENCE); }
size_t row(void) { return get_local_id(0) + 1; }
int sum(local int *buffer, int value)
{
    int lid = get_local_id(0);
    buffer[lid] = value;
    barrier(FENCE);
    return buffer[0];
}
kernel void bad(global int *g, int n, local int *buffer)
{
    int lid = get_local_id(0);
    if (lid < 4)
        barrier(FENCE); // warning: all work-items of a group must reach 'barrier', but here only some of them may
    if (get_global_id(0) < n) {
        g[0] = 1;
        work_group_barrier(FENCE); // warning: all work-items of a group must reach 'work_group_barrier', but here only some of them may
    } else {
        wait(); // warning: all work-items of a group must reach 'wait', but here only some of them may
    }
    for (int j = 0; j < lid; j++)
        wait(); // warning: all work-items of a group must reach 'wait', but here only some of them may
    while (get_local_linear_id() == 0)
        barrier(FENCE); // warning: all work-items of a group must reach 'barrier', but here only some of them may
    switch (lid % 2) {
    case 0:
        barrier(FENCE); // warning: all work-items of a group must reach 'barrier', but here only some of them may
    }
    int odd = min(lid, 3) & 1;
    if (n) {
        if (odd)
            barrier(FENCE); // warning: all work-items of a group must reach 'barrier', but here only some of them may
    }
    if (row() == 3)
        barrier(FENCE); // warning: all work-items of a group must reach 'barrier', but here only some of them may
    lid ? wait() : (void)0; // warning: all work-items of a group must reach 'wait', but here only some of them may
    if (lid == 0) {
        event_t e = async_work_group_copy(buffer, g, 4, 0); // warning: all work-items of a group must reach 'async_work_group_copy', but here only some of them may
        wait_group_events(1, &e); // warning: all work-items of a group must reach 'wait_group_events', but here only some of them may
    }
}
kernel void good(global int *g, int n, local int *buffer)
{
    int lid = get_local_id(0);
    if (get_group_id(0) == 3)
        barrier(FENCE);
    if (n || get_local_size(0) > 1)
        barrier(FENCE);
    for (int j = lid; j < n; j += get_local_size(0))
        barrier(FENCE);
    for (int j = 0; j < n; j++) {
        if (lid < j)
            buffer[lid] += buffer[lid + j];
        barrier(FENCE);
    }
    if (get_global_id(0) - lid == 0)
        barrier(FENCE);
    if (get_global_id(0) / 64 == 0)
        barrier(FENCE);
    if (sum(buffer, lid))
        barrier(FENCE);
    if (g[lid])
        barrier(FENCE);
    int x = lid;
    if (n)
        x = 0;
    if (x)
        barrier(FENCE);
    lid = 0;
    if (lid)
        barrier(FENCE);
    if (get_local_id(0) > 0)
        return;
    barrier(FENCE);
}
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void alone(global int *g)
{
    if (get_global_id(0) == 0)
        barrier(FENCE);
}
kernel void collectives(global int *g)
{
    int lid = get_local_id(0);
    if (lid == 1)
        g[0] = work_group_reduce_add(lid); // warning: all work-items of a group must reach 'work_group_reduce_add', but here only some of them may
    if (work_group_any(lid == 3))
        barrier(FENCE);
    if (work_group_all(lid < 3) && work_group_reduce_max(lid) > 3)
        barrier(FENCE);
    int lowest = work_group_broadcast(lid, 0);
    if (lowest)
        barrier(FENCE);
    g[1] = lid < 3 && work_group_any(g[lid]); // warning: all work-items of a group must reach 'work_group_any', but here only some of them may
}
