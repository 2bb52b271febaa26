#define HERE 1
#define EMPTY
#define EITHER (defined(HERE) || defined(cl_amd_fp64))
#define BARE defined HERE
#define HAVE(x) defined(cl_khr_##x)
#define BOTH(a, b) (a && b)
#define IS(x) defined x
#define WORD defined
#define OPEN defined(
#define TWICE(x) x + x
#if EITHER
ok1
#endif
#if BARE && !defined EMPTY_NOT
ok2
#endif
#if HAVE(fp64) && !HAVE(not_there)
ok3
#endif
#if 0
#elif BOTH(HAVE(fp64), EITHER) && defined(EMPTY)
ok4
#endif
#if IS(NOT_THERE)
bad
#elif WORD(EMPTY) && WORD HERE && OPEN EMPTY)
ok5
#endif
#if TWICE(defined(EMPTY)) == 2 && TWICE(EITHER) == 2 && BOTH(defined EMPTY, defined(HERE))
ok6
#endif
WORD defined(HERE)
//= ok1
//= ok2
//= ok3
//= ok4
//= ok5
//= ok6
//= defined defined(1)
