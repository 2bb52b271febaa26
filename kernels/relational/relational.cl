// s6.13.6: relational functions. Scalars give 1 or 0, lanes of vectors -1 or 0. All exact.

__lanes(1) int isequal(gentypef x, gentypef y) { return x == y; }
inttype isequal(vgentypef x, vgentypef y) { return x == y; }

__lanes(1) int isnotequal(gentypef x, gentypef y) { return x != y; }
inttype isnotequal(vgentypef x, vgentypef y) { return x != y; }

__lanes(1) int isgreater(gentypef x, gentypef y) { return x > y; }
inttype isgreater(vgentypef x, vgentypef y) { return x > y; }

__lanes(1) int isgreaterequal(gentypef x, gentypef y) { return x >= y; }
inttype isgreaterequal(vgentypef x, vgentypef y) { return x >= y; }

__lanes(1) int isless(gentypef x, gentypef y) { return x < y; }
inttype isless(vgentypef x, vgentypef y) { return x < y; }

__lanes(1) int islessequal(gentypef x, gentypef y) { return x <= y; }
inttype islessequal(vgentypef x, vgentypef y) { return x <= y; }

__lanes(1) int islessgreater(gentypef x, gentypef y) { return (x < y) || (x > y); }
inttype islessgreater(vgentypef x, vgentypef y) { return (x < y) || (x > y); }

__lanes(1) int isordered(gentypef x, gentypef y) { return (x == x) && (y == y); }
inttype isordered(vgentypef x, vgentypef y) { return (x == x) && (y == y); }

__lanes(1) int isunordered(gentypef x, gentypef y) { return (x != x) || (y != y); }
inttype isunordered(vgentypef x, vgentypef y) { return (x != x) || (y != y); }

__lanes(1) int isnan(gentypef x) { return x != x; }
inttype isnan(vgentypef x) { return x != x; }

__lanes(1) int isfinite(gentypef x) { return fabs(x) < (gentypef)INFINITY; }
inttype isfinite(vgentypef x) { return fabs(x) < (vgentypef)(sgentypef)INFINITY; }

__lanes(1) int isinf(gentypef x) { return fabs(x) == (gentypef)INFINITY; }
inttype isinf(vgentypef x) { return fabs(x) == (vgentypef)(sgentypef)INFINITY; }

__elems(float) __lanes(1) int isnormal(gentypef x)
{
    return fabs(x) >= FLT_MIN && fabs(x) < INFINITY;
}
__elems(float) inttype isnormal(vgentypef x)
{
    return fabs(x) >= (vgentypef)FLT_MIN && fabs(x) < (vgentypef)INFINITY;
}
__elems(double) __lanes(1) int isnormal(gentypef x)
{
    return fabs(x) >= 0x1p-1022 && fabs(x) < (double)INFINITY;
}
__elems(double) inttype isnormal(vgentypef x)
{
    return fabs(x) >= (vgentypef)0x1p-1022 && fabs(x) < (vgentypef)(double)INFINITY;
}

__elems(half) __lanes(1) int isnormal(gentypef x)
{
    return fabs(x) >= HALF_MIN && fabs(x) < (half)INFINITY;
}
__elems(half) inttype isnormal(vgentypef x)
{
    return fabs(x) >= (vgentypef)HALF_MIN && fabs(x) < (vgentypef)(half)INFINITY;
}

__lanes(1) int signbit(gentypef x) { return as_inttype(x) < 0; }
inttype signbit(vgentypef x) { return as_inttype(x) < (inttype)0; }

// The top bit of each lane, that of the first one lowest.
__op(movemask) int __movemask(vigentype x);

// any, all and select on vectors look at the top bit of each lane.
__lanes(1) int any(igentype x) { return x < 0; }
__lanes(2) int any(igentype x) { return (x.x | x.y) < 0; }
__lanes(3) int any(igentype x) { return (x.x | x.y | x.z) < 0; }
__lanes(4) int any(igentype x) { return __movemask(x) != 0; }
__lanes(8, 16) int any(igentype x) { return any(x.lo | x.hi); }

__lanes(1) int all(igentype x) { return x < 0; }
__lanes(2) int all(igentype x) { return (x.x & x.y) < 0; }
__lanes(3) int all(igentype x) { return (x.x & x.y & x.z) < 0; }
__lanes(4) int all(igentype x) { return __movemask(x) == 15; }
__lanes(8, 16) int all(igentype x) { return all(x.lo & x.hi); }

gentypei bitselect(gentypei a, gentypei b, gentypei c) { return (a & ~c) | (b & c); }
gentypef bitselect(gentypef a, gentypef b, gentypef c)
{
    return as_gentypef(bitselect(as_inttype(a), as_inttype(b), as_inttype(c)));
}

__lanes(1) gentype select(gentype a, gentype b, inttype c) { return c ? b : a; }
__lanes(1) gentype select(gentype a, gentype b, uinttype c) { return c ? b : a; }
vgentype select(vgentype a, vgentype b, inttype c) { return c ? b : a; }
vgentype select(vgentype a, vgentype b, uinttype c) { return c ? b : a; }
