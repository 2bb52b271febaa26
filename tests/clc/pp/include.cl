#include "a.h"
#include <a.h>
#define NAME "sub/b.h"
#include NAME
#define ANGLE <a.h>
#include ANGLE
end
//= int from_a;
//= int from_c;
//= int from_b;
//= end
