// Pixels of 8 bits: one channel is sharpened, and four channels are blended by their alpha.
kernel void sharpen(global const uchar *from, global uchar *to, int width)
{
    int at = (get_global_id(1) + 1) * width + get_global_id(0) + 1;
    int sharp = 5 * from[at] - from[at - 1] - from[at + 1] - from[at - width] - from[at + width];
    to[at] = convert_uchar_sat(sharp);
}

kernel void blend(global const uchar4 *over, global const uchar4 *under, global uchar4 *out)
{
    size_t i = get_global_id(0);
    ushort4 above = convert_ushort4(over[i]), below = convert_ushort4(under[i]);
    ushort alpha = above.w;
    out[i] = convert_uchar4((above * alpha + below * (ushort)(255 - alpha)) >> (ushort)8);
}
