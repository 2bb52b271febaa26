// options: -cl-std=CL1.2
// switch on integers, loops, do/while, break, continue, return
kernel void k(global int*g, char c, ulong l){ switch(c){ case 'a': g[0]=1; case 2: g[0]+=1; break; default: g[0]=3; } switch(l){ case 0xffffffffffffffffUL: g[1]=1; } for(int i=0;i<4;++i){ if(i==2) continue; g[i]=i; } do { c--; } while(c>0); while(1) { if(g[0]) break; return; } }
