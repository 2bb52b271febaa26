// options: -cl-std=CL2.0
// block at program scope
extern int (^getG)(void); kernel void k(void){} // error: a block cannot be 'extern'
int (^none)(void); // error: must be initialized
int (^copy)(void) = ^{ return 1; }, (^again)(void) = copy; // error: the initial value must be a constant
constant int called = ^{ return 1; }(); // error: the initial value must be a constant
