// options: -cl-std=CL2.0
// not a program-scope type
queue_t q; // error: a variable of type 'queue_t' must be private
struct S { queue_t q; }; // error: a member cannot have this type
