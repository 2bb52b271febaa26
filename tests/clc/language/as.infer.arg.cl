// options: -cl-std=CL2.0
// function parameters themselves are private
void f(int x, global int*p){ x=1; p=0; }
