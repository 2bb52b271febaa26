// s6.13.4: common functions. degrees and radians, one product, are within 0.9 ulp; mix and
// smoothstep are the specification's formulas as written, far inside their absolute bounds
// (docs/accuracy.md), for half computed in float; the others are exact.

gentypef min(gentypef x, gentypef y) { return y < x ? y : x; }
gentypef max(gentypef x, gentypef y) { return x < y ? y : x; }
gentypef clamp(gentypef x, gentypef low, gentypef high) { return fmin(fmax(x, low), high); }
vgentypef min(vgentypef x, sgentypef y) { return min(x, (vgentypef)y); }
vgentypef max(vgentypef x, sgentypef y) { return max(x, (vgentypef)y); }
vgentypef clamp(vgentypef x, sgentypef low, sgentypef high)
{
    return clamp(x, (vgentypef)low, (vgentypef)high);
}

__elems(float, double) gentypef degrees(gentypef radians)
{
    return (gentypef)57.295779513082320876798154814105 * radians;
}
__elems(float, double) gentypef radians(gentypef degrees)
{
    return (gentypef)0.01745329251994329576923690768489 * degrees;
}

__elems(float, double) gentypef mix(gentypef x, gentypef y, gentypef a) { return x + (y - x) * a; }
__ext(cl_khr_fp16) halfn degrees(halfn radians) { return convert_halfn(degrees(convert_floatn(radians))); }
__ext(cl_khr_fp16) halfn radians(halfn degrees) { return convert_halfn(radians(convert_floatn(degrees))); }
__ext(cl_khr_fp16) halfn mix(halfn x, halfn y, halfn a)
{
    return convert_halfn(mix(convert_floatn(x), convert_floatn(y), convert_floatn(a)));
}
__ext(cl_khr_fp16) halfn smoothstep(halfn edge0, halfn edge1, halfn x)
{
    return convert_halfn(smoothstep(convert_floatn(edge0), convert_floatn(edge1), convert_floatn(x)));
}

vgentypef mix(vgentypef x, vgentypef y, sgentypef a) { return mix(x, y, (vgentypef)a); }

gentypef step(gentypef edge, gentypef x)
{
    return x < edge ? (gentypef)0 : (gentypef)1;
}
vgentypef step(sgentypef edge, vgentypef x) { return step((vgentypef)edge, x); }

__elems(float, double) gentypef smoothstep(gentypef edge0, gentypef edge1, gentypef x)
{
    gentypef t = (x - edge0) / (edge1 - edge0);
    t = t > (gentypef)0 ? t : (gentypef)0;
    t = t < (gentypef)1 ? t : (gentypef)1;
    return t * t * ((gentypef)3 - (gentypef)2 * t);
}
vgentypef smoothstep(sgentypef edge0, sgentypef edge1, vgentypef x)
{
    return smoothstep((vgentypef)edge0, (vgentypef)edge1, x);
}

gentypef sign(gentypef x)
{
    // Zeros keep their sign, NaN gives +0.
    return x > 0 ? (gentypef)1 : x < 0 ? (gentypef)-1 : x == 0 ? x : (gentypef)0;
}
