// s6.13.8, s6.13.9: barriers and fences. Flags are CLK_*_MEM_FENCE.

typedef uint cl_mem_fence_flags;

__since(200) typedef enum {
    memory_order_relaxed = 0,
    memory_order_acquire = 2,
    memory_order_release = 3,
    memory_order_acq_rel = 4,
    memory_order_seq_cst = 5
} memory_order;

__since(200) typedef enum {
    memory_scope_work_item = 0,
    memory_scope_work_group = 1,
    memory_scope_device = 2,
    memory_scope_all_svm_devices = 3,
    memory_scope_sub_group = 4
} memory_scope;

__gathers __op(barrier) void barrier(uint flags);
__since(200) __gathers __op(barrier) void work_group_barrier(uint flags);
__since(200) void work_group_barrier(uint flags, int scope) { work_group_barrier(flags); }

// From 2.0 these are fences for the work-group that acquire, release, or both. Before, mem_fence also keeps loads behind it
// from passing stores before it, which only the strongest order does; and nothing is said of whom they are for. What is in
// local memory only the group sees.
__op(fence, seq_cst, device) void __fence_for_device(uint flags);
__op(fence, seq_cst, work_group) void __fence_for_group(uint flags);
void mem_fence(uint flags)
{
    if (flags == CLK_LOCAL_MEM_FENCE)
        __fence_for_group(flags);
    else
        __fence_for_device(flags);
}
__op(fence, acquire, device) void read_mem_fence(uint flags);
__op(fence, release, device) void write_mem_fence(uint flags);
__since(200) __op(fence) void atomic_work_item_fence(uint flags, int order, int scope);
