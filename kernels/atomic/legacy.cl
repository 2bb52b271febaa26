// s6.13.11 of OpenCL C 1.2: atomic functions on 32-bit integers, and the older atom_ names of
// cl_khr_{global,local}_int32_*_atomics and cl_khr_int64_*_atomics, which also take 64 bits.
//
// They are relaxed. The specification gives them the scope of a work-group and allows a wider one; programs count with
// them for all groups.

__since(110) __elems(int, uint) __op(atomic_add, relaxed, device)
sgentype atomic_add(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_sub, relaxed, device)
sgentype atomic_sub(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint, float) __op(atomic_xchg, relaxed, device)
sgentype atomic_xchg(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_and, relaxed, device)
sgentype atomic_and(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_or, relaxed, device)
sgentype atomic_or(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_xor, relaxed, device)
sgentype atomic_xor(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int) __op(atomic_smin, relaxed, device)
sgentype atomic_min(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(uint) __op(atomic_umin, relaxed, device)
sgentype atomic_min(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int) __op(atomic_smax, relaxed, device)
sgentype atomic_max(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(uint) __op(atomic_umax, relaxed, device)
sgentype atomic_max(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_cas, relaxed, device)
sgentype atomic_cmpxchg(volatile __shared sgentype *p, sgentype compare, sgentype value);
__since(110) __elems(int, uint)
sgentype atomic_inc(volatile __shared sgentype *p) { return atomic_add(p, 1); }
__since(110) __elems(int, uint)
sgentype atomic_dec(volatile __shared sgentype *p) { return atomic_sub(p, 1); }

__elems(int, uint, long, ulong) __op(atomic_add, relaxed, device)
sgentype atom_add(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_sub, relaxed, device)
sgentype atom_sub(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_xchg, relaxed, device)
sgentype atom_xchg(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_and, relaxed, device)
sgentype atom_and(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_or, relaxed, device)
sgentype atom_or(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_xor, relaxed, device)
sgentype atom_xor(volatile __shared sgentype *p, sgentype value);
__elems(int, long) __op(atomic_smin, relaxed, device)
sgentype atom_min(volatile __shared sgentype *p, sgentype value);
__elems(uint, ulong) __op(atomic_umin, relaxed, device)
sgentype atom_min(volatile __shared sgentype *p, sgentype value);
__elems(int, long) __op(atomic_smax, relaxed, device)
sgentype atom_max(volatile __shared sgentype *p, sgentype value);
__elems(uint, ulong) __op(atomic_umax, relaxed, device)
sgentype atom_max(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_cas, relaxed, device)
sgentype atom_cmpxchg(volatile __shared sgentype *p, sgentype compare, sgentype value);
__elems(int, uint, long, ulong)
sgentype atom_inc(volatile __shared sgentype *p) { return atom_add(p, 1); }
__elems(int, uint, long, ulong)
sgentype atom_dec(volatile __shared sgentype *p) { return atom_sub(p, 1); }
