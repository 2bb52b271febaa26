// What is wrong with statements.
int f(int n)
{
    break; // error: 'break' outside
    continue; // error: 'continue' outside
    case 1: ; // error: 'case' outside
    default: ; // error: 'default' outside
    goto nowhere; // error: use of undeclared label 'nowhere'
    here: ; here: ; // error: redefinition of label 'here'
    switch (n) { case 1: case 1: ; default: default: ; } // error: duplicate case // error: more than one 'default'
    switch (n) { case n: ; } // error: must be constant
    switch (1.0f) { case 1: ; } // error: must be an integer
    else n = 1; // error: 'else' without 'if'
    if (n) int y = 1; // error: a declaration cannot stand here
    do n--; n; // error: expected 'while'
    int n2 = n n; // error: expected ';'
    n = ; // error: expected an expression
    undeclared = 1; // error: use of undeclared identifier
    f(n, n); // error: too many arguments
    n(); // error: not a function
    flaot z; // error: did you mean 'float'
    n = n2 + get_globl_id(0); // error: did you mean 'get_global_id'
    return; // error: must return a value
}
void g(void) { return 1; } // error: returns nothing
int h(int n) { return n + } // error: expected an expression
kernel void k(void) { f(); } // error: too few arguments
} // error: unexpected
int last; // error: program-scope
