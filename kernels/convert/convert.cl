// s6.2.3: explicit conversions, lane by lane. Without a mode an integer is truncated to and a
// float rounded to nearest; _sat clamps, and makes NaN zero. A conversion to float in a direction
// steps from the nearest value when that is on the wrong side.

__op(fcvt_sat) dsti __fcvt_sat_##dsti(gentypef x);

__op(convert) dst convert_##dst(gentype x);

dsti convert_##dsti##_sat(gentypei x)
{
    // The limits of dsti as far as the argument can reach them.
    sgentypei top = (ulong)__MAX_OF(sdsti) < (ulong)__MAX_OF(sgentypei) ? (sgentypei)__MAX_OF(sdsti) : __MAX_OF(sgentypei);
    sgentypei bottom = __IS_SIGNED(sdsti) && (long)__MIN_OF(sdsti) > (long)__MIN_OF(sgentypei) ? (sgentypei)__MIN_OF(sdsti)
        : __IS_SIGNED(sdsti) ? __MIN_OF(sgentypei) : (sgentypei)0;
    return convert_dsti(clamp(x, (gentypei)bottom, (gentypei)top));
}

dsti convert_##dsti##_sat(gentypef x) { return __fcvt_sat_dsti(x); }

__op(convert) dsti convert_##dsti##_rte(gentypei x);
dsti convert_##dsti##_rte(gentypef x) { return convert_dsti(rint(x)); }
dsti convert_##dsti##_sat_rte(gentypei x) { return convert_dsti_sat(x); }
dsti convert_##dsti##_sat_rte(gentypef x) { return __fcvt_sat_dsti(rint(x)); }

__op(convert) dsti convert_##dsti##_rtz(gentypei x);
__op(convert) dsti convert_##dsti##_rtz(gentypef x);
dsti convert_##dsti##_sat_rtz(gentypei x) { return convert_dsti_sat(x); }
dsti convert_##dsti##_sat_rtz(gentypef x) { return __fcvt_sat_dsti(x); }

__op(convert) dsti convert_##dsti##_rtp(gentypei x);
dsti convert_##dsti##_rtp(gentypef x) { return convert_dsti(ceil(x)); }
dsti convert_##dsti##_sat_rtp(gentypei x) { return convert_dsti_sat(x); }
dsti convert_##dsti##_sat_rtp(gentypef x) { return __fcvt_sat_dsti(ceil(x)); }

__op(convert) dsti convert_##dsti##_rtn(gentypei x);
dsti convert_##dsti##_rtn(gentypef x) { return convert_dsti(floor(x)); }
dsti convert_##dsti##_sat_rtn(gentypei x) { return convert_dsti_sat(x); }
dsti convert_##dsti##_sat_rtn(gentypef x) { return __fcvt_sat_dsti(floor(x)); }

__op(convert) dstf convert_##dstf##_rte(gentype x);

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
