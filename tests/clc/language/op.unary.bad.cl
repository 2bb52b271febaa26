// options: -cl-std=CL1.2
// no - on pointers
kernel void k(global int*g){
    global int*p=-g; // error: invalid operand to unary '-': 'global int *'
}
