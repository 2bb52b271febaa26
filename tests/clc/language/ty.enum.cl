// options: -cl-std=CL1.2
// enum constants are int
enum E{X=7}; kernel void k(global int*g){ enum E e=X; g[0]=e; }
