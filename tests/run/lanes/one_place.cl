// Atomic operations of all items at one place: each finds what those before it have left. The first item does it again, one by one.
// options: -cl-std=CL2.0
// run: add global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 1
// expect: 1 = 0
// run: add global=100 local=100 args: int[100] = 0; int[1] = 0; uint = 3
// expect: 1 = 0
// run: sub global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: inc global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: and global=64 local=64 args: int[64] = 0; int[1] = 0; uint = 1
// expect: 1 = 0
// run: or global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 3
// expect: 1 = 0
// run: xor global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: least global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: most global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 1
// expect: 1 = 0
// run: umin global=37 local=37 args: uint[37] = 0; int[1] = 0; uint = 1
// expect: 1 = 0
// run: umax global=37 local=37 args: uint[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: lmax global=37 local=37 args: long[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: ladd global=37 local=37 args: long[37] = 0; int[1] = 0; uint = 3
// expect: 1 = 0
// run: exchange global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 1
// expect: 1 = 0
// run: exchange global=90 local=90 args: int[90] = 0; int[1] = 0; uint = 3
// expect: 1 = 0
// run: lexchange global=37 local=37 args: long[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: fexchange global=37 local=37 args: float[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: compare global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 1
// expect: 1 = 0
// run: compare global=90 local=90 args: int[90] = 0; int[1] = 0; uint = 3
// expect: 1 = 0
// run: lcompare global=37 local=37 args: long[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: chain global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: same global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0
// run: tile global=37 local=37 args: int[37] = 0; int[1] = 0; uint = 2
// expect: 1 = 0

#define HASH(i) ((uint)(i) * 0x9e3779b1u ^ 0x1234567u)
#define INT_HASH(i) ((int)HASH(i))
#define LONG_HASH(i) ((long)HASH(i) << 32 | HASH(i + 1))
#define FEW(i) ((int)(HASH(i) >> 8) % 3)

global atomic_int ints;
global atomic_uint uints;
global atomic_long longs;
global atomic_float floats;

// What the operation finds in `cell`, given `in`, and what is there afterwards.
#define CHECK(name, type, declared, cell, start, of, operation, after)                                        \
    kernel void name(global type *found, global int *wrong, uint every) {                                     \
        declared;                                                                                             \
        uint id = get_local_id(0);                                                                            \
        if (id == 0)                                                                                          \
            atomic_store(&cell, start);                                                                       \
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                  \
        if (id % every == 0) {                                                                                \
            type in = of(id);                                                                                 \
            found[id] = operation;                                                                            \
        }                                                                                                     \
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                  \
        if (id == 0) {                                                                                        \
            type now = start;                                                                                 \
            for (uint other = 0; other < get_local_size(0); ++other)                                          \
                if (other % every == 0) {                                                                     \
                    type in = of(other);                                                                      \
                    wrong[0] += found[other] != now;                                                          \
                    now = after;                                                                              \
                }                                                                                             \
            wrong[0] += now != atomic_load(&cell);                                                            \
        }                                                                                                     \
    }

// Items that expect what is there replace it; `expected` and `in` are functions of the item.
#define COMPARE(name, type, cell, start, expected, of)                                                        \
    kernel void name(global type *found, global int *wrong, uint every) {                                     \
        uint id = get_local_id(0);                                                                            \
        if (id == 0)                                                                                          \
            atomic_store(&cell, start);                                                                       \
        barrier(CLK_GLOBAL_MEM_FENCE);                                                                        \
        if (id % every == 0) {                                                                                \
            type seen = expected(id);                                                                         \
            found[id] = atomic_compare_exchange_strong(&cell, &seen, of(id)) ? expected(id) : seen;           \
        }                                                                                                     \
        barrier(CLK_GLOBAL_MEM_FENCE);                                                                        \
        if (id == 0) {                                                                                        \
            type now = start;                                                                                 \
            for (uint other = 0; other < get_local_size(0); ++other)                                          \
                if (other % every == 0) {                                                                     \
                    wrong[0] += found[other] != now;                                                          \
                    now = now == expected(other) ? of(other) : now;                                           \
                }                                                                                             \
            wrong[0] += now != atomic_load(&cell);                                                            \
        }                                                                                                     \
    }

CHECK(add, int, , ints, 5, INT_HASH, atomic_fetch_add(&ints, in), now + in)
CHECK(sub, int, , ints, -7, INT_HASH, atomic_fetch_sub(&ints, in), now - in)
CHECK(inc, int, , ints, 0, FEW, atomic_inc((volatile global int *)&ints), now + 1)
#define HOLE(i) ~(1 << HASH(i) % 31)
CHECK(and, int, , ints, -1, HOLE, atomic_fetch_and(&ints, in), now & in)
#define BIT(i) (1 << HASH(i) % 31)
CHECK(or, int, , ints, 64, BIT, atomic_fetch_or(&ints, in), now | in)
CHECK(xor, int, , ints, 3, INT_HASH, atomic_fetch_xor(&ints, in), now ^ in)
CHECK(least, int, , ints, INT_MAX, INT_HASH, atomic_fetch_min(&ints, in), min(now, in))
CHECK(most, int, , ints, -5, FEW, atomic_fetch_max(&ints, in), max(now, in))
CHECK(umin, uint, , uints, UINT_MAX, HASH, atomic_fetch_min(&uints, in), min(now, in))
CHECK(umax, uint, , uints, 5, HASH, atomic_fetch_max(&uints, in), max(now, in))
CHECK(lmax, long, , longs, LONG_MIN, LONG_HASH, atomic_fetch_max(&longs, in), max(now, in))
CHECK(ladd, long, , longs, 1, LONG_HASH, atomic_fetch_add(&longs, in), now + in)
CHECK(exchange, int, , ints, -1, INT_HASH, atomic_exchange(&ints, in), in)
CHECK(lexchange, long, , longs, -1, LONG_HASH, atomic_exchange(&longs, in), in)
CHECK(fexchange, float, , floats, -1, FEW, atomic_exchange(&floats, in), in)
CHECK(tile, int, local atomic_int cell, cell, 3, INT_HASH, atomic_fetch_add(&cell, in), now + in)
#define ONE(i) 1
#define TURN(i) ((int)(i) % 3)
#define NEXT(i) ((int)((i) + 1) % 3)
COMPARE(compare, int, ints, 0, TURN, FEW)
COMPARE(lcompare, long, longs, 0, FEW, NEXT)
// Each expects what the one before it wrote.
#define INDEX(i) (int)(i)
#define AFTER(i) (int)(i + every)
COMPARE(chain, int, ints, 0, INDEX, AFTER)
// The first one replaces it; the others expect the same, in vain.
COMPARE(same, int, ints, 1, ONE, FEW)
