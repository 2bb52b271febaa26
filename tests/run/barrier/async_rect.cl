// Async copies of lines and planes (cl_khr_extended_async_copies): a tile with its border out of a picture and back, a box
// out of a volume and back, elements of three and of sixteen bytes, a column as a line, lines without gaps, none at all.
// options: -cl-std=CL1.2
// run: windows global=6 local=3 args: int[30] = iota; int[12] = 0 ...
// expect: 1 = 7 8 9 13 14 15 9 10 11 15 16 17
// run: windows global=2 local=1 args: int[30] = iota; int[12] = 0 ...
// expect: 1 = 7 8 9 13 14 15 9 10 11 15 16 17
// run: place global=4 local=4 args: short[6] = 1 2 3 4 5 6; short[16] = -1 ...
// expect: 1 = -1 -1 -1 -1 -1 -1 1 2 3 -1 -1 4 5 6 -1 -1
// run: box global=8 local=2,1,1 args: char[36] = iota; char[8] = -1 ...; char[36] = -1 ...
// expect: 1 = 4 5 7 8 16 17 19 20
// expect: 2 = 4 5 -1 7 8 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 16 17 -1 19 20 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
// run: threes global=2 local=2 args: uchar[24] = iota; uchar[18] = 0 ...
// expect: 1 = 3 4 5 6 7 8 15 16 17 18 19 20 0 0 0 0 0 0
// run: column global=4 local=4 args: float4[12] = iota; float4[3] = 0 ...
// expect: 1 = 4 5 6 7 20 21 22 23 36 37 38 39
// run: solid global=2 local=2 args: long[8] = iota; long[8] = 0 ...
// expect: 1 = 0 1 2 3 4 5 6 7
// run: none global=2 local=2 args: int[4] = 1 2 3 4
// expect: 0 = 1 2 3 4
// run: rotate global=4 local=4 args: int[12] = iota
// expect: 0 = 8 9 10 11 0 1 2 3 4 5 6 7
// run: turns global=4 local=2 args: int[24] = iota; int[8] = 0 ...; int = 3
// expect: 1 = 42 48 24 26 42 48 24 26

#ifndef cl_khr_extended_async_copies
#error the extension is there
#endif

// Each group a window of three by two, from a picture that is six wide.
kernel void windows(global const int *in, global int *out)
{
    local int tile[2 * 5];
    size_t group = get_group_id(0);
    event_t e = async_work_group_copy_2D2D(tile, 1, in, 7 + 2 * group, sizeof(int), 3, 2, 6, 5, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy_2D2D(out, 6 * group, tile, 1, sizeof(int), 3, 2, 5, 3, 0);
    wait_group_events(1, &e);
}

kernel void place(global const short *in, global short *out)
{
    local short tile[6];
    for (size_t i = get_local_id(0); i < 6; i += get_local_size(0))
        tile[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy_2D2D(out, 6, tile, 0, sizeof(short), 3, 2, 3, 5, 0);
    wait_group_events(1, &e);
}

// Two by two by two of a volume of three by four by three, by one group.
kernel void box(global const char *in, global char *tight, global char *loose)
{
    local char tile[2 * 2 * 2];
    if (get_group_id(0) != 1)
        return;
    event_t e = async_work_group_copy_3D3D(tile, 0, in, 4, 1, 2, 2, 2, 3, 12, 2, 4, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy_3D3D(tight, 0, tile, 0, 1, 2, 2, 2, 2, 4, 2, 4, 0);
    e = async_work_group_copy_3D3D(loose, 0, tile, 0, 1, 2, 2, 2, 2, 4, 3, 18, e);
    wait_group_events(1, &e);
}

typedef struct { uchar r, g, b; } color;

kernel void threes(global const color *in, global color *out)
{
    local color tile[2 * 3];
    event_t e = async_work_group_copy_2D2D(tile, 0, in, 1, sizeof(color), 2, 2, 4, 3, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy_2D2D(out, 0, tile, 0, sizeof(color), 2, 2, 3, 2, 0);
    wait_group_events(1, &e);
}

// A strided copy is one of lines of one element.
kernel void column(global const float4 *in, global float4 *out)
{
    local float4 tile[3];
    event_t e = async_work_group_copy_2D2D(tile, 0, in, 1, sizeof(float4), 1, 3, 4, 1, 0);
    wait_group_events(1, &e);
    if (get_local_id(0) < 3)
        out[get_local_id(0)] = tile[get_local_id(0)];
}

kernel void solid(global const long *in, global long *out)
{
    local long tile[8];
    event_t e = async_work_group_copy_3D3D(tile, 0, in, 0, sizeof(long), 2, 2, 2, 2, 4, 2, 4, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy_3D3D(out, 0, tile, 0, sizeof(long), 2, 2, 2, 2, 4, 2, 4, 0);
    wait_group_events(1, &e);
}

kernel void none(global int *p)
{
    local int tile[4];
    tile[get_local_id(0)] = 9;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy_2D2D(p, 0, tile, 0, sizeof(int), 2, 0, 2, 2, 0);
    e = async_work_group_copy_2D2D(p, 0, tile, 0, sizeof(int), 0, 2, 2, 2, e);
    e = async_work_group_copy_3D3D(p, 0, tile, 0, sizeof(int), 2, 1, 0, 2, 2, 2, 2, e);
    wait_group_events(1, &e);
}

// Each copy uses what the one before has written.
kernel void rotate(global int *p)
{
    local int lines[8], last[4];
    event_t e = async_work_group_copy(last, p + 8, 4, 0);
    e = async_work_group_copy_2D2D(lines, 0, p, 0, sizeof(int), 4, 2, 4, 4, e);
    wait_group_events(1, &e);
    e = async_work_group_copy_2D2D(p, 4, lines, 0, sizeof(int), 4, 2, 4, 4, 0);
    e = async_work_group_copy(p, last, 4, e);
    wait_group_events(1, &e);
}

// Two windows in flight that share an event, in a loop whose bounds are an argument.
kernel void turns(global const int *in, global int *out, int turns)
{
    local int near[4], far[4];
    int sum = 0, id = get_local_id(0);
    for (int turn = 0; turn < turns; turn++) {
        event_t e = async_work_group_copy_2D2D(near, 0, in, turn, sizeof(int), 2, 2, 4, 2, 0);
        e = async_work_group_copy_2D2D(far, 0, in, 12 + turn, sizeof(int), 2, 2, 4, 2, e);
        wait_group_events(1, &e);
        sum += id ? 0 : near[0] + far[0];
        sum += id ? near[1] + far[1] : 0;
        out[4 * get_group_id(0) + 2 + id] = near[2 + id] + far[2 + id];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[4 * get_group_id(0) + id] = sum;
}
