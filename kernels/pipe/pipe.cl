// Pipes, s6.13.16.
//
// A pipe is a ring of packets in global memory, for any number of readers and writers that never wait for each other
// (after D. Vyukov's bounded queue). It begins with
//
// | byte | what |
// |---|---|
// | 0 | packets it has room for, a uint |
// | 4 | bytes from one packet to the next, a uint |
// | 8 | byte of the first packet, a ulong |
// | 128 | the position of the next packet to be written, a ulong |
// | 256 | the position of the next packet to be read, a ulong |
// | 384 | the state of each place, a uint |
//
// A position is a lap in its upper half and a place in its lower half. The state of a place is twice the lap, plus 1 while
// a packet of that lap is there. Who writes or reads packets moves the position on over places that are all empty, or all
// full, of that lap; then they are its own, and one step of their state gives them to the other side. So packets are read
// in the order in which their places were taken, whatever the order of commits, and a place that is not committed holds up
// those behind it.
//
// Who finds the state of a place acquires what was done before it was given: packets, or that they have been read. Moving a
// position on needs no order of its own, as nobody looks at what is in a place but by its state; but whoever sees that a
// position has not moved must have looked at the states before.
//
// A reservation has its first place in the lower half, in the upper one how many there are, and the highest bit.

__ext(pipes) __since(200) __op(bitcast) global uint *__pipe(pipe p);
__ext(pipes) __since(200) __op(bitcast) ulong __reservation_bits(reserve_id_t reservation);
__ext(pipes) __since(200) __op(bitcast) reserve_id_t __reservation(ulong bits);

__ext(pipes) __since(200) uint __state(volatile global uint *state)
{
    return __atomic_load(state, memory_order_acquire, memory_scope_device);
}
__ext(pipes) __since(200) ulong __position(volatile global ulong *position)
{
    return __atomic_load(position, memory_order_acquire, memory_scope_device);
}
__ext(pipes) __since(200) ulong __move(volatile global ulong *position, ulong from, ulong to)
{
    return __atomic_cas(position, from, to, memory_order_acq_rel, memory_scope_device);
}
__ext(pipes) __since(200) void __give(volatile global uint *state, int order)
{
    __atomic_store(state, *state + 1, order, memory_scope_device);
}

// The first of so many places at the position behind `end` (a word of the pipe), whose state is to be `full`; -1 if there
// are not so many.
__ext(pipes) __since(200) long __pipe_take(global uint *ring, uint end, uint packets, uint full)
{
    uint room = ring[0];
    if (packets - 1u >= room)
        return -1;
    volatile global ulong *position = (volatile global ulong *)(ring + end);
    volatile global uint *states = ring + 96;
    ulong here = __position(position);
    for (uint wait = 64;; wait = min(2 * wait, 2048u)) {
        uint place = (uint)here, lap = (uint)(here >> 32), found = 0;
        while (found < packets && __state(states + place) == 2 * lap + full) {
            ++found;
            if (++place == room) {
                place = 0;
                ++lap;
            }
        }
        // If others have moved the position meanwhile, what was found was theirs.
        ulong wanted = found == packets ? (ulong)lap << 32 | place : here;
        ulong before = found == packets ? __move(position, here, wanted) : __position(position);
        if (before == here)
            return found == packets ? (long)(uint)here : -1;
        // Meanwhile they take several places more, while what these are made of is in their cache.
        for (uint i = 0; i < wait; ++i)
            *(volatile global uint *)ring;
        here = __position(position);
    }
}

// Gives so many places from this one on to the other side.
__ext(pipes) __since(200) void __pipe_give(global uint *ring, uint place, uint packets)
{
    volatile global uint *states = ring + 96;
    if (packets == 1) {
        __give(states + place, memory_order_release);
        return;
    }
    // One fence for all: what the packets had comes before, and the order among the states does not matter.
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    uint room = ring[0];
    for (uint i = 0; i < packets; ++i) {
        __give(states + place, memory_order_relaxed);
        if (++place == room)
            place = 0;
    }
}

__ext(pipes) __since(200) global uchar *__pipe_packet(global uint *ring, uint place)
{
    return (global uchar *)ring + *(global ulong *)(ring + 2) + (ulong)place * ring[1];
}

// The place of a packet of a reservation; -1 if it has none such, or is none of this pipe.
__ext(pipes) __since(200) long __pipe_place(global uint *ring, reserve_id_t reservation, uint index)
{
    ulong bits = __reservation_bits(reservation);
    uint packets = (uint)(bits >> 32) & 0x7fffffff, room = ring[0];
    if (index >= packets || (uint)bits >= room || packets > room)
        return -1;
    ulong place = (ulong)(uint)bits + index;
    return place < room ? place : place - room;
}

__ext(pipes) __since(200) reserve_id_t __pipe_reserve(global uint *ring, uint end, uint packets, uint full)
{
    long place = __pipe_take(ring, end, packets, full);
    return __reservation(place < 0 ? 0 : 1ul << 63 | (ulong)packets << 32 | place);
}

__ext(pipes) __since(200) void __pipe_commit(global uint *ring, reserve_id_t reservation)
{
    if (__pipe_place(ring, reservation, 0) < 0)
        return;
    ulong bits = __reservation_bits(reservation);
    __pipe_give(ring, (uint)bits, (uint)(bits >> 32) & 0x7fffffff);
}

// Whether this is the work-item that acts for its group.
__ext(pipes) __since(200) bool __acts(void)
{
    return get_local_linear_id() == 0;
}

__ext(pipes) __since(200) reserve_id_t __group_reserve(global uint *ring, uint end, uint packets, uint full)
{
    ulong mine = __acts() ? __reservation_bits(__pipe_reserve(ring, end, packets, full)) : 0;
    return __reservation(work_group_broadcast(mine, 0, 0, 0));
}

__ext(pipes) __since(200) void __group_commit(global uint *ring, reserve_id_t reservation)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (__acts())
        __pipe_commit(ring, reservation);
}

__ext(pipes) __since(200) int read_pipe(read_only pipe p, __any __packet *packet)
{
    global uint *ring = __pipe(p);
    long place = __pipe_take(ring, 64, 1, 1);
    if (place < 0)
        return -1;
    *packet = *(global __packet *)__pipe_packet(ring, place);
    __pipe_give(ring, place, 1);
    return 0;
}

__ext(pipes) __since(200) int write_pipe(write_only pipe p, __any const __packet *packet)
{
    global uint *ring = __pipe(p);
    long place = __pipe_take(ring, 32, 1, 0);
    if (place < 0)
        return -1;
    *(global __packet *)__pipe_packet(ring, place) = *packet;
    __pipe_give(ring, place, 1);
    return 0;
}

__ext(pipes) __since(200) int read_pipe(read_only pipe p, reserve_id_t reservation, uint index, __any __packet *packet)
{
    global uint *ring = __pipe(p);
    long place = __pipe_place(ring, reservation, index);
    if (place < 0)
        return -1;
    *packet = *(global __packet *)__pipe_packet(ring, place);
    return 0;
}

__ext(pipes) __since(200) int write_pipe(write_only pipe p, reserve_id_t reservation, uint index, __any const __packet *packet)
{
    global uint *ring = __pipe(p);
    long place = __pipe_place(ring, reservation, index);
    if (place < 0)
        return -1;
    *(global __packet *)__pipe_packet(ring, place) = *packet;
    return 0;
}

__ext(pipes) __since(200) reserve_id_t reserve_read_pipe(read_only pipe p, uint packets) { return __pipe_reserve(__pipe(p), 64, packets, 1); }
__ext(pipes) __since(200) reserve_id_t reserve_write_pipe(write_only pipe p, uint packets) { return __pipe_reserve(__pipe(p), 32, packets, 0); }
__ext(pipes) __since(200) void commit_read_pipe(read_only pipe p, reserve_id_t reservation) { __pipe_commit(__pipe(p), reservation); }
__ext(pipes) __since(200) void commit_write_pipe(write_only pipe p, reserve_id_t reservation) { __pipe_commit(__pipe(p), reservation); }

__ext(pipes) __since(200) reserve_id_t work_group_reserve_read_pipe(read_only pipe p, uint packets) { return __group_reserve(__pipe(p), 64, packets, 1); }
__ext(pipes) __since(200) reserve_id_t work_group_reserve_write_pipe(write_only pipe p, uint packets) { return __group_reserve(__pipe(p), 32, packets, 0); }
__ext(pipes) __since(200) void work_group_commit_read_pipe(read_only pipe p, reserve_id_t reservation) { __group_commit(__pipe(p), reservation); }
__ext(pipes) __since(200) void work_group_commit_write_pipe(write_only pipe p, reserve_id_t reservation) { __group_commit(__pipe(p), reservation); }

// The first of a sub-group acts for it.
__ext(pipes, cl_khr_subgroups) __since(200) reserve_id_t __sub_group_reserve(global uint *ring, uint end, uint packets, uint full)
{
    ulong mine = 0;
    if (get_sub_group_local_id() == 0)
        mine = __reservation_bits(__pipe_reserve(ring, end, packets, full));
    return __reservation(__sub_group_first(mine));
}
__ext(pipes, cl_khr_subgroups) __since(200) void __sub_group_commit(global uint *ring, reserve_id_t reservation)
{
    __sub_group_barrier();
    if (get_sub_group_local_id() == 0)
        __pipe_commit(ring, reservation);
}
__ext(pipes, cl_khr_subgroups) __since(200) reserve_id_t sub_group_reserve_read_pipe(read_only pipe p, uint packets) { return __sub_group_reserve(__pipe(p), 64, packets, 1); }
__ext(pipes, cl_khr_subgroups) __since(200) reserve_id_t sub_group_reserve_write_pipe(write_only pipe p, uint packets) { return __sub_group_reserve(__pipe(p), 32, packets, 0); }
__ext(pipes, cl_khr_subgroups) __since(200) void sub_group_commit_read_pipe(read_only pipe p, reserve_id_t reservation) { __sub_group_commit(__pipe(p), reservation); }
__ext(pipes, cl_khr_subgroups) __since(200) void sub_group_commit_write_pipe(write_only pipe p, reserve_id_t reservation) { __sub_group_commit(__pipe(p), reservation); }

__ext(pipes) __since(200) bool is_valid_reserve_id(reserve_id_t reservation) { return __reservation_bits(reservation) != 0; }

// Of packets whose places are taken but not committed, those to be written count and those to be read do not.
__ext(pipes) __since(200) uint get_pipe_num_packets(pipe p)
{
    global uint *ring = __pipe(p);
    ulong read = __position((volatile global ulong *)(ring + 64));
    ulong written = __position((volatile global ulong *)(ring + 32));
    ulong laps = (uint)((written >> 32) - (read >> 32));
    return min(laps * ring[0] + (uint)written - (uint)read, (ulong)ring[0]);
}

__ext(pipes) __since(200) uint get_pipe_max_packets(pipe p) { return __pipe(p)[0]; }
