// A private array of a megabyte for each work-item, alone and across a barrier.
// run: k global=8 local=4 args: int[8] = 0 ...
// expect: 0 = 1023 1024 1025 1026 1027 1028 1029 1030
// run: within global=2 local=2 args: int[2] = 0 ...
// expect: 0 = 11 12
// run: kept global=4 local=4 args: int[4] = 0 ...
// expect: 0 = 1 2 3 0
kernel void k(global int *out)
{
    int a[262144], i = get_global_id(0), s = 0;
    for (int j = 0; j < 262144; j += 256)
        a[j] = j == 1280 ? i : 1;
    for (int j = 0; j < 262144; j += 256)
        s += a[j];
    out[i] = s;
}

kernel void kept(global int *out)
{
    local int t[4];
    int a[262144], l = get_local_id(0);
    for (int j = 0; j < 262144; j += 1024)
        a[j + l] = l + j;
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = t[(l + 1) % 4];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = a[2048 + l] - 2048 - l + next;
}

__attribute__((noinline)) int filled(int n)
{
    int a[262144];
    for (int j = 0; j < 262144; j += 256)
        a[j + (n & 1)] = n;
    return a[25600 + (n & 1)];
}

kernel void within(global int *out) { out[get_local_id(0)] = filled(get_local_id(0) + 1) + 10; }
