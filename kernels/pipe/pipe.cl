// Pipes, s6.13.16.
// The checks know these; no device of ours has pipes yet.

__declared __ext(pipes) __since(200) int read_pipe(read_only pipe p, __any __packet *packet);
__declared __ext(pipes) __since(200) int write_pipe(write_only pipe p, __any const __packet *packet);
__declared __ext(pipes) __since(200) int read_pipe(read_only pipe p, reserve_id_t reservation, uint index, __any __packet *packet);
__declared __ext(pipes) __since(200) int write_pipe(write_only pipe p, reserve_id_t reservation, uint index, __any const __packet *packet);
__declared __ext(pipes) __since(200) reserve_id_t reserve_read_pipe(read_only pipe p, uint packets);
__declared __ext(pipes) __since(200) reserve_id_t reserve_write_pipe(write_only pipe p, uint packets);
__declared __ext(pipes) __since(200) void commit_read_pipe(read_only pipe p, reserve_id_t reservation);
__declared __ext(pipes) __since(200) void commit_write_pipe(write_only pipe p, reserve_id_t reservation);
__declared __ext(pipes) __since(200) reserve_id_t work_group_reserve_read_pipe(read_only pipe p, uint packets);
__declared __ext(pipes) __since(200) reserve_id_t work_group_reserve_write_pipe(write_only pipe p, uint packets);
__declared __ext(pipes) __since(200) void work_group_commit_read_pipe(read_only pipe p, reserve_id_t reservation);
__declared __ext(pipes) __since(200) void work_group_commit_write_pipe(write_only pipe p, reserve_id_t reservation);
__declared __ext(pipes) __since(200) bool is_valid_reserve_id(reserve_id_t reservation);
__declared __ext(pipes) __since(200) uint get_pipe_num_packets(pipe p);
__declared __ext(pipes) __since(200) uint get_pipe_max_packets(pipe p);
