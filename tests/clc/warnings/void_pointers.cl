// options: -Wall
kernel void k(global void *p, global void *q, global long *o)
{
    o[0] = p - q; // warning: arithmetic on a pointer to 'void' counts bytes
    p += 3; // warning: arithmetic on a pointer to 'void' counts bytes
    p++; // warning: arithmetic on a pointer to 'void' counts bytes
    *(global int *)(q + 4) = 1; // warning: arithmetic on a pointer to 'void' counts bytes
}
