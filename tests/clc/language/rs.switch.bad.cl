// options: -cl-std=CL1.2
// switch needs an integer, cases are different constants
kernel void k(global int*g, float f, int n){
    switch(f){ } // error: the value of a switch must be an integer
    switch(n){ case 1: break;
        case 1: break; // error: duplicate case value
        case n: break; // error: a case value must be constant
    }
    break; // error: 'break' outside of a loop or switch
    continue; // error: 'continue' outside of a loop
}
