template <typename T> T add(T a, T b) { return a + b; } // error: unknown type name 'template'
class Foo { int a; }; // error: unknown type name 'class'
kernel void k(global int *g) {
  auto x = 3; // error: the 'auto' and 'register' storage classes are not supported
  g[0] = x;
  int &r = g[0]; // error: expected a name before '&'
  bool b = true;
  std::sort(g); // error: expected an expression before ':'
}
