// Pixels of 16 bits: smoothed with small weights, then the range between two levels is stretched.
kernel void smooth(global const ushort *from, global ushort *to, int width)
{
    int at = (get_global_id(1) + 1) * width + get_global_id(0) + 1;
    uint sum = 4u * from[at];
    sum += 2u * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
    sum += from[at - width - 1] + from[at - width + 1] + from[at + width - 1] + from[at + width + 1];
    to[at] = (ushort)((sum + 8u) >> 4);
}

kernel void stretch(global const ushort *from, global ushort *to, int low, int gain)
{
    size_t i = get_global_id(0);
    int value = (sub_sat(from[i], (ushort)low) * gain) >> 8;
    to[i] = convert_ushort_sat(value);
}
