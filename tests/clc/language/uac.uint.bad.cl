// options: -cl-std=CL1.2
// a scalar of higher rank does not fit a vector
kernel void k(global int4*g, uint u, long l){
    g[0]=g[1]+l; // error: invalid operands to '+': 'int4' and 'long': the scalar's type has a higher rank than the vector's element
}
