// Arguments that are expanded again and again.
#define a(x) x x x x x x x x
#define b(x) a(a(a(a(x))))
b(b(b(b(b(1))))) // error: macro expansion makes too many tokens
