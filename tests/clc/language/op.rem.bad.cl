// options: -cl-std=CL1.2
// % only on integers
kernel void k(global float*g){
    g[0]=g[1]%2.0f; // error: invalid operands to '%': 'float' and 'float': the operands must be integers
}
