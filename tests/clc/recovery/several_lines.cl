float4 mix4(float4 a, float4 b, float t)
{
    return a * t
         + (b
            * (1.0f
               - t))
         + t.x; // error: 'float' has no member 'x'
}
kernel void k(global float4 *g)
{
    g[0] = mix4( // error: too few arguments to function 'mix4': 2 given, 3 wanted
        g[0],
        g[1]
    );
    g[1] = mix4( // error: too many arguments to function 'mix4': 5 given, 3 wanted
        g[0],
        g[1],
        0.5f,
        1,
        2
    );
}
