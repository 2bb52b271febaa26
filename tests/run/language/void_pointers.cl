// Arithmetic on pointers to void counts bytes, as in GNU C.
// run: k global=2 args: int[8] = 0; int[4] = 5 6 7 8
// expect: 0 = 0 7 6 8 7 12 1 8
constant int numbers[] = {1, 2, 3};
constant void *constant inside = (constant void *)numbers + 4;
kernel void k(global void *o, global void *in)
{
    if (get_global_id(0))
        return;
    global int *out = o;
    *(global uint *)(o + 4) = 7;
    global void *p = in;
    p += 8;
    p -= 4;
    out[2] = *(global int *)p;
    out[3] = (8 + p) - p;
    ++p; p++; p++; ++p;
    out[4] = *(global int *)p--;
    out[5] = (int)((--p - in) + sizeof(void) + 5);
    out[6] = &in[4] == in + 4;
    out[7] = *(constant int *)inside + 6;
}
