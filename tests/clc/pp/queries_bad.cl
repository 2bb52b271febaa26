#if __has_builtin // error: missing '(' after '__has_builtin'
#endif
#if __has_builtin() // error: '__has_builtin' takes one name
#endif
#if __has_attribute(a b) // error: '__has_attribute' takes one name
#endif
#if __has_feature(a // error: missing ')' after '__has_feature'
#endif
#if __has_include(a.h) // error: expected "file" or <file> in '__has_include'
#endif
#if __has_include() // error: expected "file" or <file> in '__has_include'
#endif
#if defined(MISSING) && MISSING(1) // error: function-like macro 'MISSING' is not defined
#endif
#if MISSING(1) // error: function-like macro 'MISSING' is not defined
#endif
#if 0
#elifdef // error: macro name missing
#else
#elifndef A // error: '#elifndef' after '#else'
#endif
