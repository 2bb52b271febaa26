// Floats of 32 bits as integers: their bits, also where a double is kept in two of them.
// run: bits global=2 local=2 args: image RG FLOAT 2x1 = 1.5 -2 3 0.25; image RG FLOAT 2x1 = 0; int[8] = 0
// expect: 1 = 1.5 -2 3 0.25
// expect: 2 = 1069547520 -1073741824 0 1065353216 1077936128 1048576000 0 1065353216
// run: doubles global=2 local=2 args: image RGBA FLOAT 2x1 = 0; double[2] = 0.1 -3e100
// expect: 1 = 0.1 -3e100
// run: back global=1 local=1 args: image RG FLOAT 1x1 = 0 1.875; double[1] = 0
// expect: 1 = 1
kernel void bits(read_only image2d_t from, write_only image2d_t to, global int4 *seen)
{
    int x = get_global_id(0);
    seen[x] = read_imagei(from, (int2)(x, 0));
    write_imagei(to, (int2)(x, 0), seen[x]);
}

kernel void doubles(write_only image2d_t to, global const double *values)
{
    int x = get_global_id(0);
    write_imageui(to, (int2)(x, 0), (uint4)(as_uint2(values[x]), 0, 0));
}

kernel void back(read_only image2d_t from, global double *seen)
{
    seen[0] = as_double2(read_imagei(from, (int2)(0, 0))).x;
}
