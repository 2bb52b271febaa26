// s6.2.3: explicit conversions, lane by lane. Without a mode an integer is truncated to and a
// float rounded to nearest; _sat clamps, and makes NaN zero. A conversion to float in a direction
// steps from the nearest value when that is on the wrong side.

__op(fcvt_sat) dsti __fcvt_sat_##dsti(sgentypef x);

__each dst convert_##dst(gentype x) { return (dst)x; }

__each dsti convert_##dsti##_sat(gentypei x)
{
    dsti top = __MAX_OF(dsti);
    dsti bottom = __MIN_OF(dsti);
    int above = x > 0 && (ulong)x > (ulong)top;
    int below = x < 0 && (bottom == 0 || (long)x < (long)bottom);
    return above ? top : below ? bottom : (dsti)x;
}

__each dsti convert_##dsti##_sat(gentypef x) { return __fcvt_sat_dsti(x); }

__each dsti convert_##dsti##_rte(gentypei x) { return (dsti)x; }
__each dsti convert_##dsti##_rte(gentypef x) { return (dsti)rint(x); }
__each dsti convert_##dsti##_sat_rte(gentypei x) { return convert_dsti_sat(x); }
__each dsti convert_##dsti##_sat_rte(gentypef x) { return __fcvt_sat_dsti(rint(x)); }

__each dsti convert_##dsti##_rtz(gentypei x) { return (dsti)x; }
__each dsti convert_##dsti##_rtz(gentypef x) { return (dsti)trunc(x); }
__each dsti convert_##dsti##_sat_rtz(gentypei x) { return convert_dsti_sat(x); }
__each dsti convert_##dsti##_sat_rtz(gentypef x) { return __fcvt_sat_dsti(trunc(x)); }

__each dsti convert_##dsti##_rtp(gentypei x) { return (dsti)x; }
__each dsti convert_##dsti##_rtp(gentypef x) { return (dsti)ceil(x); }
__each dsti convert_##dsti##_sat_rtp(gentypei x) { return convert_dsti_sat(x); }
__each dsti convert_##dsti##_sat_rtp(gentypef x) { return __fcvt_sat_dsti(ceil(x)); }

__each dsti convert_##dsti##_rtn(gentypei x) { return (dsti)x; }
__each dsti convert_##dsti##_rtn(gentypef x) { return (dsti)floor(x); }
__each dsti convert_##dsti##_sat_rtn(gentypei x) { return convert_dsti_sat(x); }
__each dsti convert_##dsti##_sat_rtn(gentypef x) { return __fcvt_sat_dsti(floor(x)); }

__each dstf convert_##dstf##_rte(gentype x) { return (dstf)x; }

// To float in a direction. below and above say whether negative and positive numbers go to the
// larger magnitude when they are not exact.
__each dstf __directed_##dstf(gentypei x, int below, int above)
{
    int negative = x < 0;
    ulong size = negative ? -(ulong)x : (ulong)x;
    int bits = sizeof(dstf) == 2 ? 11 : sizeof(dstf) == 4 ? 24 : 53;
    int drop = max(64 - bits - (int)clz(size), 0);
    ulong unit = (ulong)1 << drop;
    ulong rest = size & (unit - 1);
    int away = (negative ? below : above) && rest != 0;
    // Both parts and their sum are exact.
    dstf v = (dstf)(size - rest) + (away ? (dstf)unit : (dstf)0);
    // Only half ends before the integers do.
    int beyond = sizeof(dstf) == 2 && size > 65504;
    v = beyond ? ((negative ? below : above) ? (dstf)INFINITY : (dstf)65504) : v;
    return negative ? -v : v;
}

__each dstf __directed_##dstf(gentypef x, int below, int above)
{
    dstf near = (dstf)x;
    double exact = fabs((double)x);
    double size = fabs((double)near);
    int away = x < 0 ? below : above;
    dstf outward = nextafter(near, copysign((dstf)INFINITY, near));
    dstf inward = nextafter(near, (dstf)0);
    dstf v = away && size < exact ? outward : !away && size > exact ? inward : near;
    // A zero keeps the sign.
    return copysign(v, near);
}

__each dstf convert_##dstf##_rtz(gentype x) { return __directed_dstf(x, 0, 0); }
__each dstf convert_##dstf##_rtp(gentype x) { return __directed_dstf(x, 0, 1); }
__each dstf convert_##dstf##_rtn(gentype x) { return __directed_dstf(x, 1, 0); }
