// Words in packed structures, whose arrays begin at odd addresses: in private, local and global memory, one beside the other.
// run: k global=32 local=32 args: uint[32] = 0 ... ; uchar[480] = iota
// run: k global=64 local=16 args: uint[64] = 0 ... ; uchar[960] = iota
typedef struct __attribute__((packed)) { uchar first; ushort words[3]; int number; uchar bytes[4]; } item;

kernel void k(global uint *out, global const item *items) {
    local item kept[64];
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    item mine = items[i], *chosen = &mine;
    mine.words[i % 3] += 257 * i;
    kept[l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (int j = 0; j < 3; ++j)
        sum = sum * 31 + mine.words[j] + kept[(l + 1) % size].words[(j + i) % 3] + items[i].words[2 - j] + chosen->words[j];
    sum += *(&kept[(l * 3) % size].words[1]) + mine.bytes[i & 3];
    out[i] = sum ^ (uint)kept[l ^ 1].number;
}
