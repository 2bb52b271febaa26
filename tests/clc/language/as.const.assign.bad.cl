// options: -cl-std=CL1.2
// constant pointer only to constant pointer
kernel void k(constant int*c, global int*g){
    global int*p=c; // error: cannot initialize 'global int *' from 'constant int *'
    constant int*q=g; // error: cannot initialize 'constant int *' from 'global int *'
}
