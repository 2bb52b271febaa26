// options: -cl-std=CL1.2
// casting between different named spaces illegal
kernel void k(global int*g){
    local int*l=(local int*)g; // error: the address spaces do not convert
}
