// options: -cl-std=CL2.0
// qualifiers on by-value params invalid
void f(global int x){} // error: a parameter is private itself
