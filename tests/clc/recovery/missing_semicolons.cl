// A statement that lacks its ';' does not take the next line with it.
kernel void k(global float *g) {
    int two = 2 // error: expected ';' before 'float4'
    float4 v = nothing; // error: use of undeclared identifier 'nothing'
    g[0] = two // error: expected ';' before 'g'
    g[1] = other; // error: use of undeclared identifier 'other'
}
