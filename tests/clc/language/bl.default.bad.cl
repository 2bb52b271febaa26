// blocks rejected where no version is asked for: that is 1.2
kernel void k(global int *g){ g[0]=^(int x){ return x+1; }(2); } // error: blocks need OpenCL C 2.0
