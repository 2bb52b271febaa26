// options: -cl-denorms-are-zero -cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math -cl-no-subgroup-ifp
// those of a link are legal for a build as well
kernel void k(global float*g){ g[0]=g[1]*2; }
