// a header nobody gave
#include "none.h" // error: none.h
