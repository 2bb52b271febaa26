// Program-scope constants with pointers between them.
// options: -cl-std=CL2.0
// run: k global=3 local=1 args: int[3] = 0 ...
// expect: 0 = 7 8 9
constant int table[3] = { 7, 8, 9 };
constant int *constant where = table;
kernel void k(global int *out) {
    out[get_global_id(0)] = where[get_global_id(0)];
}
