// s6.13.12: lanes by a mask whose high bits do not count.

__since(110) __lanes(2, 4, 8, 16) gentype shuffle(gentypem x, uinttype mask)
{
    gentype r;
    for (uint i = 0; i < vec_step(gentype); i++)
        r[i] = x[mask[i] & (vec_step(gentypem) - 1)];
    return r;
}

__since(110) __lanes(2, 4, 8, 16) gentype shuffle2(gentypem x, gentypem y, uinttype mask)
{
    gentype r;
    for (uint i = 0; i < vec_step(gentype); i++) {
        uint lane = mask[i] & (2 * vec_step(gentypem) - 1);
        r[i] = lane < vec_step(gentypem) ? x[lane] : y[lane - vec_step(gentypem)];
    }
    return r;
}
