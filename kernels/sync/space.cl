// s6.13.9: which address space a generic pointer points into.

__since(200) __op(to_global) global __anytype *to_global(__generic __anytype *pointer);
__since(200) __op(to_local) local __anytype *to_local(__generic __anytype *pointer);
__since(200) __op(to_private) private __anytype *to_private(__generic __anytype *pointer);

// 0 private, 1 local, 2 global.
__since(200) __op(space_of) uint __space_of(__generic const void *pointer);

__since(200) uint get_fence(__generic const void *pointer)
{
    uint space = __space_of(pointer);
    return space == 2 ? CLK_GLOBAL_MEM_FENCE : space == 1 ? CLK_LOCAL_MEM_FENCE : 0u;
}
