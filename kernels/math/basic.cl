// s6.13.2: functions that are exact, or correctly rounded by one operation.
//
// Bounds in this folder are what `grus-conformance --accuracy` measured (docs/accuracy.md), rounded
// up; float functions that compute in double are as exact as that allows.

__op(fabs) gentypef fabs(gentypef x);
__op(ffloor) gentypef floor(gentypef x);
__op(fceil) gentypef ceil(gentypef x);
__op(ftrunc) gentypef trunc(gentypef x);
__op(fnearest) gentypef rint(gentypef x);
__op(fsqrt) gentypef sqrt(gentypef x);
__op(fma) gentypef fma(gentypef a, gentypef b, gentypef c);
__op(fcopysign) gentypef copysign(gentypef x, gentypef y);

__ext(fma) __elems(float, double) __op(fma) gentypef mad(gentypef a, gentypef b, gentypef c);
__ext(no_fma) __elems(float, double) gentypef mad(gentypef a, gentypef b, gentypef c) { return a * b + c; }

// The largest number below a half: with a half itself, what is less would reach one by rounding.
__elems(float) __each gentypef round(gentypef x)
{
    return trunc(x + copysign(0x1.fffffep-2f, x));
}

__elems(double) __each gentypef round(gentypef x)
{
    return trunc(x + copysign(0x1.fffffffffffffp-2, x));
}

__elems(half) __each gentypef round(gentypef x)
{
    gentypef whole = trunc(x);
    gentypef away = fabs(x - whole) >= (gentypef)0.5 ? (gentypef)1 : (gentypef)0;
    return copysign(fabs(whole) + away, x);
}

// A NaN is a missing value: the other argument counts.
gentypef fmin(gentypef x, gentypef y)
{
    gentypef least = y < x ? y : x;
    return x != x ? y : least;
}
gentypef fmax(gentypef x, gentypef y)
{
    gentypef largest = x < y ? y : x;
    return x != x ? y : largest;
}
vgentypef fmin(vgentypef x, sgentypef y) { return fmin(x, (vgentypef)y); }
vgentypef fmax(vgentypef x, sgentypef y) { return fmax(x, (vgentypef)y); }

gentypef fdim(gentypef x, gentypef y)
{
    return x > y ? x - y : x != x || y != y ? x + y : (gentypef)0;
}

__since(110) gentypef maxmag(gentypef x, gentypef y)
{
    return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y);
}

__since(110) gentypef minmag(gentypef x, gentypef y)
{
    return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y);
}

__elems(float) __each gentypef nan(uinttype code)
{
    return as_gentypef(0x7fc00000 | (code & 0x3fffff));
}

__elems(double) __each gentypef nan(uinttype code)
{
    return as_gentypef(0x7ff8000000000000UL | (code & 0x7ffffffffffffUL));
}
