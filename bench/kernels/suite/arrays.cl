// Kernels in the forms that libraries of array expressions generate.

// Element-wise operation: few work-groups, each of which walks through the array in steps of the whole range.
kernel void elements(global const float *x, global const float *y, global float *z, float a, float b, int n)
{
    int lid = get_local_id(0);
    int step = get_global_size(0);
    int first = get_local_size(0) * get_group_id(0);
    for (long i = first + lid; i < n; i += step)
        z[i] = a * x[i] + b * y[i];
}

#define GROUP 128

// Reduction: each work-group has a range of its own and walks through it in steps of its size.
kernel void dot_parts(global const float *x, global const float *y, global float *out, int n, int turns)
{
    local float tile[GROUP];
    int lid = get_local_id(0);
    int i = GROUP * get_group_id(0) * turns + lid;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; ++turn) {
        if (i >= n)
            break;
        sum += x[i] * y[i];
        i += GROUP;
    }
    tile[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int part = GROUP / 2; part > 0; part /= 2) {
        if (lid < part)
            tile[lid] += tile[lid + part];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[get_group_id(0)] = tile[0];
}

kernel void sum_parts(global const float *parts, global float *out, int n)
{
    local float tile[GROUP];
    int lid = get_local_id(0);
    float sum = 0.0f;
    for (int i = lid; i < n; i += GROUP)
        sum += parts[i];
    tile[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int part = GROUP / 2; part > 0; part /= 2) {
        if (lid < part)
            tile[lid] += tile[lid + part];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[0] = tile[0];
}

#define EACH 8

// Scan: a work-group loads a unit together, each work-item sums a part of it, then the sums are scanned in steps.
kernel void scan_units(global const int *in, global int *out, global int *sums, int n)
{
    local int unit[EACH][GROUP + 1];
    local int totals[GROUP];
    int lid = get_local_id(0);
    int first = get_group_id(0) * GROUP * EACH;
    for (int k = 0; k < EACH; ++k) {
        int at = k * GROUP + lid;
        if (first + at < n)
            unit[at % EACH][at / EACH] = in[first + at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < EACH; ++k)
        if (first + lid * EACH + k < n) {
            sum += unit[k][lid];
            unit[k][lid] = sum;
        }
    totals[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int far = 1; far < GROUP; far *= 2) {
        int other = lid >= far ? totals[lid - far] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        totals[lid] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == GROUP - 1)
        sums[get_group_id(0)] = totals[lid];
    for (int k = 0; k < EACH; ++k) {
        int at = k * GROUP + lid;
        int owner = at / EACH;
        if (first + at < n)
            out[first + at] = unit[at % EACH][owner] + (owner > 0 ? totals[owner - 1] : 0);
    }
}

// Adds the sum of all preceding units to each unit; one work-group computes those sums first.
kernel void scan_sums(global int *sums, int n)
{
    local int totals[GROUP];
    int lid = get_local_id(0);
    int each = (n + GROUP - 1) / GROUP;
    int sum = 0;
    for (int i = lid * each; i < min(n, (lid + 1) * each); ++i)
        sum += sums[i];
    totals[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int other = 0; other < lid; ++other)
        sum += totals[other];
    for (int i = lid * each; i < min(n, (lid + 1) * each); ++i) {
        int own = sums[i];
        sums[i] = sum;
        sum += own;
    }
}

kernel void add_sums(global int *out, global const int *sums, int n)
{
    int lid = get_local_id(0);
    int first = get_group_id(0) * GROUP * EACH;
    int before = sums[get_group_id(0)];
    for (int i = lid; i < GROUP * EACH && first + i < n; i += GROUP)
        out[first + i] += before;
}
