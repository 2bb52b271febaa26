// options: -cl-std=CL1.2
// no private operand, no float
kernel void k(global float*f){ int p=0;
    atomic_add(&p,1); // error: no built-in function 'atomic_add'
    atomic_add(f,1.0f); // error: no built-in function 'atomic_add'
}
