// Components that are small beside the largest keep their bits.
// options: -cl-std=CL1.2
// run: k args: double[4] = 0xe441b1ff19375f1e 0x2484af8232103c00 0x3ff0000000000000 0; double[4] = 0 ...; double[2] = 3e-200 4e-200
// expect: 1 = -1 0x0032b42c1434a968 0.6 0.8
kernel void k(global const double *in, global double *out, global const double *small) {
    double2 v = normalize((double2)(in[0], in[1]));
    out[0] = v.x;
    out[1] = v.y;
    v = normalize((double2)(small[0], small[1]));
    out[2] = v.x;
    out[3] = v.y;
}
