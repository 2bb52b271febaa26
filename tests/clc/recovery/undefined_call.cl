#if defined(HAVE_IT) && HAVE_IT(1) // error: function-like macro 'HAVE_IT' is not defined
#endif
kernel void k(void) {}
