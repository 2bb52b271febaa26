// options: -cl-std=CL1.2
// a format is known when the program is built: nothing that the host gives is
struct s { constant char *text; };
kernel void t(constant char *text, constant struct s *s, global char *other, int n)
{
    printf(text, n); // error: the format must be known when the program is built
    printf(text + 1, n); // error: the format must be known when the program is built
    printf(n ? "literal" : text, n); // error: the format must be known when the program is built
    printf(other, n); // error: no built-in function 'printf' takes
    printf(0, n); // error: no built-in function 'printf' takes
}
