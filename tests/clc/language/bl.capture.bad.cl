// options: -cl-std=CL2.0
// automatic variables captured as const copies
struct s { int a; float4 v; };
kernel void k(global int*g){ int m=1; void (^b)(void)=^{ m=2; }; b(); } // error: cannot write to 'm': the block holds a 'const' copy of it
kernel void l(global int *g, struct s p) {
    float4 v;
    int *q;
    ^{ p.a = 1; }(); // error: cannot write to 'p'
    ^{ p.v.xy = 1; }(); // error: cannot write to 'p'
    ^{ v.x += 1; }(); // error: cannot write to 'v'
    ^{ ^{ v++; }(); }(); // error: cannot write to 'v'
    ^{ *q = 1; g = 0; }(); // error: cannot write to 'g'
}
