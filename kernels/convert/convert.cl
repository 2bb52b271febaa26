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
