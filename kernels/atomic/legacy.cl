// s6.13.11 of OpenCL C 1.2: atomic functions on 32-bit integers, and the older atom_ names of
// cl_khr_{global,local}_int32_*_atomics and cl_khr_int64_*_atomics, which also take 64 bits.

__since(110) __elems(int, uint) __op(atomic_add)
gentype atomic_add(volatile __shared gentype *p, gentype value);
__since(110) __elems(int, uint) __op(atomic_sub)
gentype atomic_sub(volatile __shared gentype *p, gentype value);
__since(110) __elems(int, uint, float) __op(atomic_xchg)
gentype atomic_xchg(volatile __shared gentype *p, gentype value);
__since(110) __elems(int, uint) __op(atomic_and)
gentype atomic_and(volatile __shared gentype *p, gentype value);
__since(110) __elems(int, uint) __op(atomic_or)
gentype atomic_or(volatile __shared gentype *p, gentype value);
__since(110) __elems(int, uint) __op(atomic_xor)
gentype atomic_xor(volatile __shared gentype *p, gentype value);
__since(110) __elems(int) __op(atomic_smin)
gentype atomic_min(volatile __shared gentype *p, gentype value);
__since(110) __elems(uint) __op(atomic_umin)
gentype atomic_min(volatile __shared gentype *p, gentype value);
__since(110) __elems(int) __op(atomic_smax)
gentype atomic_max(volatile __shared gentype *p, gentype value);
__since(110) __elems(uint) __op(atomic_umax)
gentype atomic_max(volatile __shared gentype *p, gentype value);
__since(110) __elems(int, uint) __op(atomic_cas)
gentype atomic_cmpxchg(volatile __shared gentype *p, gentype compare, gentype value);
__since(110) __elems(int, uint)
gentype atomic_inc(volatile __shared gentype *p) { return atomic_add(p, 1); }
__since(110) __elems(int, uint)
gentype atomic_dec(volatile __shared gentype *p) { return atomic_sub(p, 1); }

__elems(int, uint, long, ulong) __op(atomic_add)
gentype atom_add(volatile __shared gentype *p, gentype value);
__elems(int, uint, long, ulong) __op(atomic_sub)
gentype atom_sub(volatile __shared gentype *p, gentype value);
__elems(int, uint, long, ulong) __op(atomic_xchg)
gentype atom_xchg(volatile __shared gentype *p, gentype value);
__elems(int, uint, long, ulong) __op(atomic_and)
gentype atom_and(volatile __shared gentype *p, gentype value);
__elems(int, uint, long, ulong) __op(atomic_or)
gentype atom_or(volatile __shared gentype *p, gentype value);
__elems(int, uint, long, ulong) __op(atomic_xor)
gentype atom_xor(volatile __shared gentype *p, gentype value);
__elems(int, long) __op(atomic_smin)
gentype atom_min(volatile __shared gentype *p, gentype value);
__elems(uint, ulong) __op(atomic_umin)
gentype atom_min(volatile __shared gentype *p, gentype value);
__elems(int, long) __op(atomic_smax)
gentype atom_max(volatile __shared gentype *p, gentype value);
__elems(uint, ulong) __op(atomic_umax)
gentype atom_max(volatile __shared gentype *p, gentype value);
__elems(int, uint, long, ulong) __op(atomic_cas)
gentype atom_cmpxchg(volatile __shared gentype *p, gentype compare, gentype value);
__elems(int, uint, long, ulong)
gentype atom_inc(volatile __shared gentype *p) { return atom_add(p, 1); }
__elems(int, uint, long, ulong)
gentype atom_dec(volatile __shared gentype *p) { return atom_sub(p, 1); }
