// options: -cl-std=CL2.0 -I "/a b" -I sub
// -I dir, optionally quoted
#include "sub/b.h"
