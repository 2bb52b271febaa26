// options: -Wall
static int never(int x) { return x; } // warning: unused function 'never'
static int called(int x) { return x; }
static inline int inlined(int x) { return x; }
static int attributed(int x) __attribute__((unused));
static int attributed(int x) { return x; }
int visible(int x) { return x; }
#define DECLARE(name) int name = 0
constant int size_of_nothing = 3;
kernel void k(global int *g, int parameter)
{
    int used = 1, unused = 2; // warning: unused variable 'unused'
    int measured;
    int dropped;
    int marked __attribute__((unused)) = 3;
    const int count = 4;
    int array[count];
    DECLARE(made); // warning: unused variable 'made'
    local int shared;
    for (int i = 0, j = 0; i < 3; i++) { // warning: unused variable 'j'
        int inner; // warning: unused variable 'inner'
        int computed = i * 2;
        g[i] = called(used);
    }
    (void)dropped;
    g[5] = sizeof(measured) + sizeof(array);
    if (g[0])
        goto there;
nowhere: // warning: unused label 'nowhere'
    g[1] = 1;
there:
    g[2] = 1;
silent: __attribute__((unused))
    g[3] = 1;
    shared = 1;
}
