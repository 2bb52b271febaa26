// The examples of C99 s6.10.3.5, and what GNU adds.
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
 x ## s, x ## t)
debug(1, 2);
xstr(str(  "a\n"   'b"'  ) x )
#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
join(x, y);
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
glue(HIGH, LOW); xglue(HIGH, LOW)
#define t2(x,y,z) x ## y ## z
int j[] = { t2(1,2,3), t2(,4,5), t2(6,,7), t2(8,9,),
t2(10,,), t2(,11,), t2(,,12), t2(,,) };
#define show(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test):\
 printf(__VA_ARGS__))
show(The first, second, and third items.);
report(x>y, "x is %d but y is %d", x, y);
#define log(f, ...) printf(f, ## __VA_ARGS__)
log("a") log("a", b)
//= f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
//= f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);
//= int i[] = { 1, 23, 4, 5, };
//= char c[2][6] = { "hello", "" };
//= printf("x" "1" "= %d, x" "2" "= %s", x1, x2);
//= "\"\\\"a\\\\n\\\" 'b\\\"'\" 2"
//= "2 ## y";
//= "hello"; "hello" ", world"
//= int j[] = { 123, 45, 67, 89,
//= 10, 11, 12, };
//= puts("The first, second, and third items.");
//= ((2>y)?puts("x>y"): printf("x is %d but y is %d", 2, y));
//= printf("a") printf("a", b)
