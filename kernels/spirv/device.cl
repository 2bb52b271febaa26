// Pipes whose packets are so many bytes, and ranges, as SPIR-V gives them.

// Copies a packet from and to a pipe, by the largest parts that its size and alignment allow.
__ext(pipes) __since(200) void __spirv_get_packet(__any uchar *to, global const uchar *from, uint size, uint align)
{
    if ((size | align) % 8 == 0) {
        for (uint i = 0; i < size; i += 8)
            *(__any ulong *)(to + i) = *(global const ulong *)(from + i);
    } else if ((size | align) % 4 == 0) {
        for (uint i = 0; i < size; i += 4)
            *(__any uint *)(to + i) = *(global const uint *)(from + i);
    } else {
        for (uint i = 0; i < size; i++)
            to[i] = from[i];
    }
}
__ext(pipes) __since(200) void __spirv_put_packet(global uchar *to, __any const uchar *from, uint size, uint align)
{
    if ((size | align) % 8 == 0) {
        for (uint i = 0; i < size; i += 8)
            *(global ulong *)(to + i) = *(__any const ulong *)(from + i);
    } else if ((size | align) % 4 == 0) {
        for (uint i = 0; i < size; i += 4)
            *(global uint *)(to + i) = *(__any const uint *)(from + i);
    } else {
        for (uint i = 0; i < size; i++)
            to[i] = from[i];
    }
}

__ext(pipes) __since(200) int __spirv_read_pipe(read_only pipe p, __any uchar *packet, uint size, uint align)
{
    global uint *ring = __pipe(p);
    long place = __pipe_take(ring, 64, 1, 1);
    if (place < 0)
        return -1;
    __spirv_get_packet(packet, __pipe_packet(ring, place), size, align);
    __pipe_give(ring, place, 1);
    return 0;
}
__ext(pipes) __since(200) int __spirv_write_pipe(write_only pipe p, __any const uchar *packet, uint size, uint align)
{
    global uint *ring = __pipe(p);
    long place = __pipe_take(ring, 32, 1, 0);
    if (place < 0)
        return -1;
    __spirv_put_packet(__pipe_packet(ring, place), packet, size, align);
    __pipe_give(ring, place, 1);
    return 0;
}
__ext(pipes) __since(200)
int __spirv_read_pipe(read_only pipe p, reserve_id_t reservation, uint index, __any uchar *packet, uint size, uint align)
{
    global uint *ring = __pipe(p);
    long place = __pipe_place(ring, reservation, index);
    if (place < 0)
        return -1;
    __spirv_get_packet(packet, __pipe_packet(ring, place), size, align);
    return 0;
}
__ext(pipes) __since(200)
int __spirv_write_pipe(write_only pipe p, reserve_id_t reservation, uint index, __any const uchar *packet, uint size,
                       uint align)
{
    global uint *ring = __pipe(p);
    long place = __pipe_place(ring, reservation, index);
    if (place < 0)
        return -1;
    __spirv_put_packet(__pipe_packet(ring, place), packet, size, align);
    return 0;
}

// Without a local size all of it is 0.
__ext(device_enqueue) __since(200) ndrange_t __spirv_nd_range(ulong size, ulong local_size, ulong offset)
{
    ulong3 local_sizes = local_size == 0 ? (ulong3)0 : (ulong3)(local_size, 1, 1);
    return __nd_range(1, (ulong3)(offset, 0, 0), (ulong3)(size, 1, 1), local_sizes);
}
__ext(device_enqueue) __since(200)
ndrange_t __spirv_nd_range2(const private ulong *size, const private ulong *local_size, const private ulong *offset)
{
    ulong3 local_sizes = local_size[0] == 0 ? (ulong3)0 : (ulong3)(local_size[0], local_size[1], 1);
    return __nd_range(2, (ulong3)(offset[0], offset[1], 0), (ulong3)(size[0], size[1], 1), local_sizes);
}
__ext(device_enqueue) __since(200)
ndrange_t __spirv_nd_range3(const private ulong *size, const private ulong *local_size, const private ulong *offset)
{
    return __nd_range(3, vload3(0, offset), vload3(0, size), vload3(0, local_size));
}
