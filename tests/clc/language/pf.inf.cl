// options: -cl-std=CL1.2
// inf/nan spellings
kernel void k(void){ printf("%f %F %e %G\n", INFINITY, NAN, -INFINITY, NAN); }
