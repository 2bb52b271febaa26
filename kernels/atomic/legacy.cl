// s6.13.11 of OpenCL C 1.2: atomic functions on 32-bit integers, and the older atom_ names of
// cl_khr_{global,local}_int32_*_atomics and cl_khr_int64_*_atomics, which also take 64 bits.

__since(110) __elems(int, uint) __op(atomic_add)
sgentype atomic_add(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_sub)
sgentype atomic_sub(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint, float) __op(atomic_xchg)
sgentype atomic_xchg(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_and)
sgentype atomic_and(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_or)
sgentype atomic_or(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_xor)
sgentype atomic_xor(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int) __op(atomic_smin)
sgentype atomic_min(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(uint) __op(atomic_umin)
sgentype atomic_min(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int) __op(atomic_smax)
sgentype atomic_max(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(uint) __op(atomic_umax)
sgentype atomic_max(volatile __shared sgentype *p, sgentype value);
__since(110) __elems(int, uint) __op(atomic_cas)
sgentype atomic_cmpxchg(volatile __shared sgentype *p, sgentype compare, sgentype value);
__since(110) __elems(int, uint)
sgentype atomic_inc(volatile __shared sgentype *p) { return atomic_add(p, 1); }
__since(110) __elems(int, uint)
sgentype atomic_dec(volatile __shared sgentype *p) { return atomic_sub(p, 1); }

__elems(int, uint, long, ulong) __op(atomic_add)
sgentype atom_add(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_sub)
sgentype atom_sub(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_xchg)
sgentype atom_xchg(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_and)
sgentype atom_and(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_or)
sgentype atom_or(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_xor)
sgentype atom_xor(volatile __shared sgentype *p, sgentype value);
__elems(int, long) __op(atomic_smin)
sgentype atom_min(volatile __shared sgentype *p, sgentype value);
__elems(uint, ulong) __op(atomic_umin)
sgentype atom_min(volatile __shared sgentype *p, sgentype value);
__elems(int, long) __op(atomic_smax)
sgentype atom_max(volatile __shared sgentype *p, sgentype value);
__elems(uint, ulong) __op(atomic_umax)
sgentype atom_max(volatile __shared sgentype *p, sgentype value);
__elems(int, uint, long, ulong) __op(atomic_cas)
sgentype atom_cmpxchg(volatile __shared sgentype *p, sgentype compare, sgentype value);
__elems(int, uint, long, ulong)
sgentype atom_inc(volatile __shared sgentype *p) { return atom_add(p, 1); }
__elems(int, uint, long, ulong)
sgentype atom_dec(volatile __shared sgentype *p) { return atom_sub(p, 1); }
