#define // error: macro name missing
#define 3 4 // error: must be an identifier
#define A(x // error: missing ')'
#define B(x, x) // error: duplicate macro parameter
#define C(x) #y // error: '#' is not followed
#define D ## x // error: '##' cannot be at either end
#define two(a, b) a b
two(1) // error: too few arguments
two(1, 2, 3) // error: too many arguments
#else // error: '#else' without '#if'
#endif // error: '#endif' without '#if'
#if // error: needs an expression
#endif
#if 1 + // error: ends too early
#endif
#if 1 / 0 // error: division by zero
#endif
#if 1.5 // error: not an integer
#endif
#if defined // error: 'defined' needs a macro name
#endif
#if (1 // error: expected ')'
#endif
#error stop here // error: #error stop here
#warning careful // warning: #warning careful
#include "nowhere.h" // error: 'nowhere.h' not found
#include <stdio.h> // error: 'stdio.h' not found
#include // error: expected "file"
#bogus // error: unknown preprocessing directive
#line x // error: '#line' needs
#define paste(a, b) a ## b
paste(+, /) // error: pasting makes
#define same 1
#define same 1
#define same 2 // warning: redefined
#pragma OPENCL EXTENSION all : enable // error: 'all' can only be disabled
#pragma OPENCL EXTENSION cl_khr_nonsense : disable // warning: not supported
#pragma nothing we know
#if 1
#else
#else // error: '#else' after '#else'
#endif
"open // error: missing terminating
'c // error: missing terminating
two(1, // error: unterminated call
