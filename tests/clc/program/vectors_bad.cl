// What is wrong with vectors.
kernel void k(global float4 *v, global int4 *i, int n)
{
    float4 a = v[0]; int4 b = i[0]; float2 c = a; // error: cannot initialize 'float2' from 'float4'
    a = b; // error: cannot assign 'int4' to 'float4'
    a = a + b; // error: invalid operands to '+'
    b = b + 1.0f; // error: higher rank
    b = b + 1u; // error: higher rank
    b = b + 1L; // error: higher rank
    a.xs0 = c; // error: not a selector
    a.xr = c; // error: not a selector
    a.s4 = 1; // error: out of range
    a.xyzwx = a; // error: 1, 2, 3, 4, 8 or 16
    a = (float4)(1, 2, 3); // error: too few components
    a = (float4)(a, 1); // error: too many components
    a = (float4)(b); // error: cannot cast 'int4' to 'float4'
    a = (float4)(1, 2, b.xy); // error: 'int2' cannot be part of a 'float4'
    n = a; // error: cannot assign 'float4' to 'int'
    if (a) n = 1; // error: a condition must be a scalar
    while (b) ; // error: a condition must be a scalar
    n = b && n ? 1 : 2; // error: cannot assign 'int4' to 'int'
    a = b ? a : b; // error: do not go together
    a = a % a; // error: the operands must be integers
    a = ~a; // error: invalid operand to unary '~'
    n <<= b; // error: a scalar cannot be shifted by a vector
    n += b; // error: does not fit into a scalar
    a = clamp(a, 0.0f, (float8)1); // error: no built-in function 'clamp' takes
    a = fmax(a, b); // error: no built-in function
    n = dot((float8)1, (float8)1); // error: no built-in function
    a = convert_float4(n); // error: no built-in function
    b = as_int4(n); // error: no built-in function
    n = max(n, 1.0f); // error: ambiguous
    c.zw = c; // error: out of range
    &a.x; // error: the address of a vector component
    a.x.x = 1; // error: has no member 'x'
    a[4] = 1; // error: no such component
}
