// options: -cl-std=CL2.0
// no arrays of blocks, no block members
kernel void k(void){ void (^b[2])(void)={^{},^{}}; } // error: an array of blocks is not allowed
struct s { int a; void (^b)(void); }; // error: a member cannot be a block
typedef int (^bt)(int);
union u { bt b; }; // error: a member cannot be a block
bt many[2]; // error: an array of blocks is not allowed
