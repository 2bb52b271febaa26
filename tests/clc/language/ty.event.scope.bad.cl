// options: -cl-std=CL1.2
// event_t not program scope, not struct member, no global/local/constant
event_t e; kernel void k(void){} // error: a program-scope variable must be 'constant' before OpenCL C 2.0 // error: a variable of type 'event_t' must be private
