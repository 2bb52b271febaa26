// options: -cl-std=CL1.2
// letters or numbers
kernel void k(global float4*g){ g[0].xy=g[1].s01; g[0].zw=g[1].S23; g[2].lo=g[3].even; }
