// options: -cl-std=CL1.2
// local variable not in non-kernel function
void f(void){
    local int x; // error: a 'local' variable can only be declared in a kernel function
}
kernel void k(int n){ if (n) {
    local int y; // error: a 'local' variable must be in the outermost scope of its kernel
} }
