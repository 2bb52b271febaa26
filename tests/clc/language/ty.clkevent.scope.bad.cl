// options: -cl-std=CL2.0
// clk_event_t, reserve_id_t not at program scope
reserve_id_t r; // error: must be private
clk_event_t e; // error: must be private
