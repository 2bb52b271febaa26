// s6.13.1: work-item functions. Dimensions out of range are the operation's business.

__op(work_dim) uint get_work_dim();
__op(global_size) size_t get_global_size(uint dimension);
__varies __op(global_id) size_t get_global_id(uint dimension);
__op(local_size) size_t get_local_size(uint dimension);
__varies __op(local_id) size_t get_local_id(uint dimension);
__op(num_groups) size_t get_num_groups(uint dimension);
__op(group_id) size_t get_group_id(uint dimension);
__since(110) __op(global_offset) size_t get_global_offset(uint dimension);
__since(200) __op(enqueued_local_size) size_t get_enqueued_local_size(uint dimension);

__since(200) size_t get_global_linear_id()
{
    size_t x = get_global_id(0) - get_global_offset(0);
    size_t y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

__since(200) size_t get_local_linear_id()
{
    size_t rows = get_local_id(2) * get_local_size(1) + get_local_id(1);
    return rows * get_local_size(0) + get_local_id(0);
}
