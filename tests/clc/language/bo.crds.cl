// options: -cl-fp32-correctly-rounded-divide-sqrt
// division and sqrt are correctly rounded anyway
kernel void k(global float*g){ g[0]=g[1]*2; }
