// options: -cl-std=CL2.0
// pipes only as function arguments
kernel void k(global int*g){
    pipe int p; // error: a pipe can only be a parameter
}
global pipe int q; // error: a pipe can only be a parameter
struct S { pipe int p; }; // error: a member cannot have this type
kernel void l(pipe int *p) {} // error: pointers to 'read_only pipe int'
pipe int f(void); // error: cannot return a pipe
kernel void m(read_write pipe int p) {} // error: 'read_only' or 'write_only'
kernel void n(pipe image2d_t p) {} // error: cannot be the type of a packet
