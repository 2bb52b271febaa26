// A switch that only chooses values: all its cases lead to one place.
// run: k global=37 local=37 args: int[37] = 0 ...
// expect: 0 = 54 -26 1003 34 73 54 54 -26 1003 93 73 113 54 -26 1003 153 73 173 54 -26 1003 213 73 233 54 -26 1003 273 73 293 54 -26 1003 333 73 353 54
kernel void k(global int *out) {
    int i = get_global_id(0), x, y;
    switch (i % 6) {
    case 0: x = 5; break;
    case 1: x = -3; break;
    case 2: x = 100; break;
    case 4: x = 7; break;
    default: x = i;
    }
    if (x > 6)
        y = 3;
    else
        y = 4;
    out[i] = x * 10 + y;
}
