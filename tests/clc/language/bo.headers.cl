// options: -cl-std=CL2.0
// headers come from the application, by their names
#include "a.h"
#include <sub/b.h>
