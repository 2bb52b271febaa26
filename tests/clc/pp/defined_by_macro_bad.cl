#define HERE 1
#define IS(x) defined(x)
#define WORD defined
#if IS(HERE) // error: 'defined' needs a macro name
#endif
#if WORD // error: 'defined' needs a macro name
#endif
#if WORD( // error: 'defined' needs a macro name
#endif
#if defined(HERE // error: 'defined' needs a macro name
#endif
#if 1
#elif WORD 2
#endif
