#include "loop.h" // error: includes are nested too deeply
