// options: -cl-std=CL2.0
// but not with numbers, with others, or by size
kernel void k(global int*g, queue_t q){ clk_event_t e = CLK_NULL_EVENT;
    g[0] = e == q; // error: invalid operands
    g[0] = q == 1; // error: invalid operands
    g[0] = q < q; // error: invalid operands
}
