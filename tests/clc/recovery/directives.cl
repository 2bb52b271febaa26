#if FOO > // error: the preprocessor expression ends too early
int x;
#endif
#if 1 + // error: the preprocessor expression ends too early
#endif
#elif // error: '#elif' without '#if'
#else // error: '#else' without '#if'
#include <nothere.h> // error: include file 'nothere.h' not found
#define // error: macro name missing
#define 3 // error: a macro name must be an identifier
#undef // error: macro name missing
#ifdef // error: macro name missing
#endif
kernel void k(void) {}
