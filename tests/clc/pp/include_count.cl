#define A B B B B B B B B B B
#define B C C C C C C C C C C
#define C D D D D D D D D D D
#define D E E E E E E E E E E
#define E F F F F F F F F F F
#define F __has_include(<a.h>)
A
F // error: more than 100000 uses of '#include' and '__has_include'
