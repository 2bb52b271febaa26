// options: -cl-std=CL2.0
// clk_event_t, reserve_id_t not at program scope
reserve_id_t r; kernel void k(void){} // error: a variable of type 'reserve_id_t' must be private
