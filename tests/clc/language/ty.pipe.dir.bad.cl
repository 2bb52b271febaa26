// options: -cl-std=CL2.0
// access and packet type must match
void h(write_only pipe int p) {}
void f(read_only pipe float p) {}
kernel void k(read_only pipe int p){
    int v=1; write_pipe(p,&v); // error: no built-in function 'write_pipe'
    float w=1; read_pipe(p,&w); // error: no built-in function 'read_pipe'
    h(p); // error: cannot pass 'read_only pipe int'
    f(p); // error: cannot pass 'read_only pipe int'
    p = p; // error: pipes cannot be assigned to
    &p; // error: pointers to images, samplers and pipes
}
