// options: -cl-std=CL2.0
// ^(args){...} literal, inferred return type
kernel void k(global int *g, int c) {
    void (^a)(void); // error: must be initialized
    int (^b)(void) = ^{}; // error: cannot initialize 'int (^)(void)' from 'void (^)(void)'
    float (^d)(int) = ^(int x) { return x; }; // error: cannot initialize 'float (^)(int)' from 'int (^)(int)'
    g[0] = ^(int x) { if (x) return 1; return 2.0f; }(c); // error: the block returns 'float' here, and 'int' before
    ^{ if (c) return; return 1; }(); // error: the block returns 'int' here, and 'void' before
    ^(int x) {}(); // error: too few arguments to the block: 0 given, 1 wanted
    ^(int x) {}(1, 2); // error: too many arguments
    ^(int x) {}(g); // error: cannot pass
    int ^e = 1; // error: '^' declares a block, which needs parameters
    int (^h)(void) = 0; // error: cannot initialize
    g[1] = a + 1; // error: invalid operands
    if (a) g[2] = 1; // error: a condition must be a scalar
    g[3] = ^; // error: expected the body of a block
    for (int i = 0; i < 3; i++) ^{ break; }(); // error: 'break' outside
    for (int i = 0; i < 3; i++) ^{ continue; }(); // error: 'continue' outside
    switch (c) { case 0: ^{ case 1: ; }(); } // error: 'case' outside
    ^{ goto out; }(); // error: undeclared label 'out'
    goto in; // error: undeclared label 'in'
    ^{ in: ; }();
    out: ;
    ^{ local int x; }(); // error: can only be declared in a kernel
    void (^p)(void) = (p(), ^{}); // error: cannot be used in its own initializer
    int (^q)(int) = ^int(int x) { return; }; // error: must return a value
}
