// s6.13.4: common functions. degrees and radians, one product, are within 0.9 ulp; mix and
// smoothstep are the specification's formulas as written, far inside their absolute bounds
// (docs/accuracy.md), for half computed in float; the others are exact.

__each gentypef min(gentypef x, gentypef y) { return y < x ? y : x; }
__each gentypef max(gentypef x, gentypef y) { return x < y ? y : x; }
__each gentypef clamp(gentypef x, gentypef low, gentypef high) { return fmin(fmax(x, low), high); }
vgentypef min(vgentypef x, sgentypef y) { return min(x, (vgentypef)y); }
vgentypef max(vgentypef x, sgentypef y) { return max(x, (vgentypef)y); }
vgentypef clamp(vgentypef x, sgentypef low, sgentypef high)
{
    return clamp(x, (vgentypef)low, (vgentypef)high);
}

__elems(float, double) __each gentypef degrees(gentypef radians)
{
    return (gentypef)57.295779513082320876798154814105 * radians;
}
__elems(float, double) __each gentypef radians(gentypef degrees)
{
    return (gentypef)0.01745329251994329576923690768489 * degrees;
}

__elems(float, double) __each gentypef mix(gentypef x, gentypef y, gentypef a) { return x + (y - x) * a; }
__ext(cl_khr_fp16) __each halfn degrees(halfn radians) { return (half)degrees((float)radians); }
__ext(cl_khr_fp16) __each halfn radians(halfn degrees) { return (half)radians((float)degrees); }
__ext(cl_khr_fp16) __each halfn mix(halfn x, halfn y, halfn a)
{
    return (half)mix((float)x, (float)y, (float)a);
}
__ext(cl_khr_fp16) __each halfn smoothstep(halfn edge0, halfn edge1, halfn x)
{
    return (half)smoothstep((float)edge0, (float)edge1, (float)x);
}

vgentypef mix(vgentypef x, vgentypef y, sgentypef a) { return mix(x, y, (vgentypef)a); }

__each gentypef step(gentypef edge, gentypef x)
{
    return x < edge ? (gentypef)0 : (gentypef)1;
}
vgentypef step(sgentypef edge, vgentypef x) { return step((vgentypef)edge, x); }

__elems(float, double) __each gentypef smoothstep(gentypef edge0, gentypef edge1, gentypef x)
{
    gentypef t = clamp((x - edge0) / (edge1 - edge0), (gentypef)0, (gentypef)1);
    return t * t * (3 - 2 * t);
}
vgentypef smoothstep(sgentypef edge0, sgentypef edge1, vgentypef x)
{
    return smoothstep((vgentypef)edge0, (vgentypef)edge1, x);
}

__each gentypef sign(gentypef x)
{
    // Zeros keep their sign, NaN gives +0.
    return x > 0 ? (gentypef)1 : x < 0 ? (gentypef)-1 : x == 0 ? x : (gentypef)0;
}
