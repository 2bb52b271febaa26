// options: -cl-std=CL2.0
// pipe T argument with read_only (default) or write_only
kernel void k(read_only pipe int4 p, global int4*o){ int4 v; if(read_pipe(p,&v)==0) o[0]=v; }
