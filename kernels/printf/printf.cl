// s6.13.13: formatting is done by the runtime.

__since(120) __op(printf) int printf(const constant char *format, ...);
