// Every format: components as kernels see them, and the texels that writing them back gives.

kernel void floats(read_only image2d_t from, write_only image2d_t to, global float4 *seen)
{
    int x = get_global_id(0);
    seen[x] = read_imagef(from, (int2)(x, 0));
    write_imagef(to, (int2)(x, 0), seen[x]);
}

kernel void integers(read_only image2d_t from, write_only image2d_t to, global int4 *seen)
{
    int x = get_global_id(0);
    seen[x] = read_imagei(from, (int2)(x, 0));
    write_imagei(to, (int2)(x, 0), seen[x]);
}

kernel void unsigned_integers(read_only image2d_t from, write_only image2d_t to, global uint4 *seen)
{
    int x = get_global_id(0);
    seen[x] = read_imageui(from, (int2)(x, 0));
    write_imageui(to, (int2)(x, 0), seen[x]);
}

// Values beyond what a format can hold.
kernel void wild_floats(write_only image2d_t to, global const float4 *values)
{
    int x = get_global_id(0);
    write_imagef(to, (int2)(x, 0), values[x]);
}
kernel void wild_integers(write_only image2d_t to, global const int4 *values)
{
    int x = get_global_id(0);
    write_imagei(to, (int2)(x, 0), values[x]);
}
kernel void wild_unsigned(write_only image2d_t to, global const uint4 *values)
{
    int x = get_global_id(0);
    write_imageui(to, (int2)(x, 0), values[x]);
}

// run: floats global=6 local=2 args: image R SNORM_INT8 6x1 = 38 12 0 14 54 127; image R SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image R SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.19639 -0.62241 0.12251 -1.05813 0.15709 1.07388 0.31350 0.19919
// run: floats global=6 local=2 args: image R SNORM_INT16 6x1 = 32767 65535 65535 65535 37415 53485; image R SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image R SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.43681 -0.95267 0.17089 -0.74911 -0.96617 0.50907 0.15448 0.28562
// run: floats global=6 local=2 args: image R UNORM_INT8 6x1 = 136 80 236 76 255 62; image R UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image R UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.00355 -0.47940 -0.01172 -0.37566 -0.12280 0.26150 -1.02432 0.02864
// run: floats global=6 local=2 args: image R UNORM_INT16 6x1 = 32768 32767 63046 50106 51714 20561; image R UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image R UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.38371 -0.35957 -0.00798 0.71254 -1.03497 -0.97537 -0.55215 0.47290
// run: integers global=6 local=2 args: image R SIGNED_INT8 6x1 = 128 254 114 127 88 127; image R SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image R SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image R SIGNED_INT16 6x1 = 40037 0 32768 65535 60084 5280; image R SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image R SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image R SIGNED_INT32 6x1 = 2147483647 3794104665 2147483647 1195809357 4236843850 3797579269; image R SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image R SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image R UNSIGNED_INT8 6x1 = 59 255 255 255 0 128; image R UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image R UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image R UNSIGNED_INT16 6x1 = 20880 45252 62273 44315 29926 51116; image R UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image R UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image R UNSIGNED_INT32 6x1 = 2923047807 1685254563 1692732589 2147483647 0 1892478001; image R UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image R UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image R HALF_FLOAT 6x1 = -2.702 -1.280 -3.579 -3.998 -2.790 -3.188; image R HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image R HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.32734 -1.13880 0.89840 0.27377 -0.84348 -0.59458 -0.36627 -0.32601
// run: floats global=6 local=2 args: image R FLOAT 6x1 = -3.017 2.791 3.945 -0.272 -0.129 -3.313; image R FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image R FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.95475 -0.37767 -0.56458 0.78925 -0.81255 -1.14457 1.08237 0.06782
// run: floats global=6 local=2 args: image A SNORM_INT8 6x1 = 0 76 221 128 232 255; image A SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image A SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.07822 0.66973 -0.40880 -0.66470 0.74763 1.16382 0.84631 0.73459
// run: floats global=6 local=2 args: image A SNORM_INT16 6x1 = 48488 13101 23302 64854 32768 12690; image A SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image A SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.46205 1.09564 -0.12665 1.04885 1.17129 1.09200 -0.32487 -0.67089
// run: floats global=6 local=2 args: image A UNORM_INT8 6x1 = 255 123 230 0 167 164; image A UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image A UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.99653 0.38541 0.98347 0.67753 0.60034 -0.05272 -0.77155 0.69393
// run: floats global=6 local=2 args: image A UNORM_INT16 6x1 = 52482 47305 26305 5565 11141 1805; image A UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image A UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.83724 0.97165 0.73560 -0.84918 0.78363 1.15273 0.37744 -0.35902
// run: integers global=6 local=2 args: image A SIGNED_INT8 6x1 = 33 0 239 255 54 255; image A SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image A SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image A SIGNED_INT16 6x1 = 65535 21364 32767 3991 23185 43415; image A SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image A SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image A SIGNED_INT32 6x1 = 3883925064 3552537857 2154565813 4294967295 80336781 3335068562; image A SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image A SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image A UNSIGNED_INT8 6x1 = 0 38 127 30 83 135; image A UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image A UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image A UNSIGNED_INT16 6x1 = 51398 57883 16285 0 33273 1826; image A UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image A UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image A UNSIGNED_INT32 6x1 = 3919106286 2147483648 2171334150 856430243 1942810371 3467594005; image A UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image A UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image A HALF_FLOAT 6x1 = -0.176 3.532 1.594 3.012 3.537 -1.923; image A HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image A HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.14283 1.06384 0.81600 -0.87088 -0.90811 -0.13892 -1.02589 -0.62247
// run: floats global=6 local=2 args: image A FLOAT 6x1 = -3.415 1.356 2.271 3.176 -2.764 1.729; image A FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image A FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.38462 -0.85685 0.91880 1.12211 -0.67299 1.08601 -0.24418 -0.03057
// run: floats global=6 local=2 args: image RG SNORM_INT8 6x1 = 213 127 103 50 23 4 117 4 132 131 28 201; image RG SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RG SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.65147 0.90334 -0.99825 -0.54739 0.97416 -0.76428 0.61386 0.76747
// run: floats global=6 local=2 args: image RG SNORM_INT16 6x1 = 44300 16948 35166 37394 21433 0 12015 4745 0 52535 65535 0; image RG SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RG SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.11094 -0.38604 0.12735 1.02401 -0.55714 -0.88986 0.06460 -0.62775
// run: floats global=6 local=2 args: image RG UNORM_INT8 6x1 = 255 255 128 135 74 172 128 254 0 255 62 27; image RG UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RG UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.37997 0.36025 0.37562 0.11018 0.93294 1.12875 -0.46132 -0.68357
// run: floats global=6 local=2 args: image RG UNORM_INT16 6x1 = 65535 46315 9156 22777 54852 0 57662 65535 32767 43944 39241 32768; image RG UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RG UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.09143 -0.75516 -0.55431 -1.19131 -0.32606 -0.41058 1.16379 -0.42352
// run: integers global=6 local=2 args: image RG SIGNED_INT8 6x1 = 128 255 127 128 51 0 0 0 76 59 255 183; image RG SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RG SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RG SIGNED_INT16 6x1 = 39096 21373 32387 65535 32767 53229 59630 33054 53274 54159 52295 44754; image RG SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RG SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RG SIGNED_INT32 6x1 = 2761190677 0 2147483648 1617563115 2398856258 0 2923430371 2147483648 0 2160244209 394887583 283684097; image RG SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RG SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image RG UNSIGNED_INT8 6x1 = 121 0 60 52 127 97 128 157 50 255 166 77; image RG UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RG UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RG UNSIGNED_INT16 6x1 = 8745 0 63734 45363 32767 32768 30562 65096 13058 5626 1147 0; image RG UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RG UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RG UNSIGNED_INT32 6x1 = 4157993252 4269055591 4294967295 3996621925 0 2147483648 569534434 2712994262 3809043993 2147483648 2147483647 683180147; image RG UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RG UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image RG HALF_FLOAT 6x1 = -3.971 -0.066 -0.394 -1.584 -2.874 -1.248 -1.471 2.722 -3.986 2.006 2.713 -3.040; image RG HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RG HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.02336 0.51126 0.96376 -0.50440 -0.30667 -0.25704 1.19710 0.21402
// run: floats global=6 local=2 args: image RG FLOAT 6x1 = -1.114 -0.576 -1.799 -3.614 -3.186 2.677 -1.715 3.485 -2.005 -1.874 0.088 -2.481; image RG FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RG FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.30396 1.09480 0.92224 0.74871 0.31415 0.99222 1.05768 0.11815
// run: floats global=6 local=2 args: image RA SNORM_INT8 6x1 = 12 105 192 128 233 32 127 76 128 61 142 30; image RA SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RA SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.79840 -0.81202 -0.70111 0.97430 -0.00702 -0.67194 0.97502 1.19154
// run: floats global=6 local=2 args: image RA SNORM_INT16 6x1 = 9148 15996 32768 20924 32768 13247 49129 25089 34351 32768 4067 37636; image RA SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RA SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.12244 -0.89790 0.00815 0.31110 0.87087 -0.68169 -0.54955 -0.60371
// run: floats global=6 local=2 args: image RA UNORM_INT8 6x1 = 114 79 223 32 127 125 127 237 218 114 0 255; image RA UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RA UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.05368 0.43698 1.05958 0.53216 0.35364 0.63552 -0.10242 0.12360
// run: floats global=6 local=2 args: image RA UNORM_INT16 6x1 = 65535 0 19908 41056 32767 7348 32768 38200 32768 0 32768 18258; image RA UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RA UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.10146 0.34698 0.92106 -0.05927 -0.63656 -0.60706 1.10547 0.49117
// run: integers global=6 local=2 args: image RA SIGNED_INT8 6x1 = 5 127 255 236 126 128 92 50 128 129 127 79; image RA SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RA SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RA SIGNED_INT16 6x1 = 12709 65535 32768 32767 58751 32767 3697 9593 3562 65535 46521 32767; image RA SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RA SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RA SIGNED_INT32 6x1 = 3058165928 3147024619 0 1414086881 2147483647 2147483647 4230469251 726970231 0 2147483648 3801787626 4294967295; image RA SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RA SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image RA UNSIGNED_INT8 6x1 = 196 210 22 127 127 128 121 127 127 0 205 65; image RA UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RA UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RA UNSIGNED_INT16 6x1 = 0 22221 21952 40434 32768 19490 0 65535 32767 25330 59870 32340; image RA UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RA UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RA UNSIGNED_INT32 6x1 = 2147483647 2147483648 3319191017 4294967295 1372451577 3366537236 339366272 1682276004 1062177693 2789778828 2147483648 2147483647; image RA UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RA UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image RA HALF_FLOAT 6x1 = 3.068 3.903 -1.881 -3.327 -3.229 -0.012 1.678 -0.424 -2.126 -0.665 0.962 1.393; image RA HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RA HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.59514 0.83277 0.39462 -0.90920 0.81809 -0.49492 0.16052 -0.30487
// run: floats global=6 local=2 args: image RA FLOAT 6x1 = 1.905 -2.406 -2.021 -2.037 -2.773 3.073 0.626 -1.389 -0.831 3.940 0.059 -2.149; image RA FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RA FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.74026 0.36798 1.17829 -0.95440 -0.06057 0.76585 0.81734 0.99450
// run: floats global=6 local=2 args: image RGBA SNORM_INT8 6x1 = 128 0 255 95 45 66 170 27 181 55 128 255 9 166 208 128 95 128 0 140 104 127 39 23; image RGBA SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBA SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.36734 -0.24535 -0.54920 1.17177 0.40275 -0.19717 -1.07673 0.58881
// run: floats global=6 local=2 args: image RGBA SNORM_INT16 6x1 = 27137 56639 52574 12923 26540 0 10260 53763 32768 10652 0 41986 25999 32768 11251 32768 65535 7129 49385 63365 19766 0 31636 39822; image RGBA SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBA SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.02280 -0.26905 0.97013 0.28882 0.77893 -0.81534 0.68598 -0.66702
// run: floats global=6 local=2 args: image RGBA UNORM_INT8 6x1 = 216 127 255 255 31 255 0 82 127 160 166 149 127 114 45 127 114 199 214 127 17 127 205 130; image RGBA UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBA UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.37703 -1.10244 -0.88735 1.01310 -0.44706 0.52894 -1.00808 0.60494
// run: floats global=6 local=2 args: image RGBA UNORM_INT16 6x1 = 42778 8925 0 47977 7181 32767 65535 47256 4293 40006 10404 40208 32767 32767 32768 15558 2413 32767 32768 58681 51912 7541 3183 23578; image RGBA UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBA UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.11877 -0.11271 0.05149 0.45295 0.95064 -0.59512 0.08568 0.85584
// run: integers global=6 local=2 args: image RGBA SIGNED_INT8 6x1 = 95 128 92 20 45 245 128 247 149 229 0 56 127 93 33 156 5 128 133 57 77 52 212 34; image RGBA SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGBA SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RGBA SIGNED_INT16 6x1 = 65535 29547 65535 51259 32768 3678 36852 38975 29081 33920 16285 0 0 15575 0 65535 65535 42119 42045 40185 32768 0 47468 46884; image RGBA SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGBA SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RGBA SIGNED_INT32 6x1 = 1611294514 3200555700 345652759 1943417894 0 0 2147483648 1142408496 2917291605 3386367018 4174243227 4294967295 0 4294967295 870917923 3204695620 824363029 1411127509 1629720762 2708818854 4216200502 4204830565 2027828065 2996247415; image RGBA SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGBA SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image RGBA UNSIGNED_INT8 6x1 = 0 185 128 100 19 43 0 255 36 7 0 188 128 0 193 241 63 0 0 161 122 0 165 128; image RGBA UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGBA UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RGBA UNSIGNED_INT16 6x1 = 17115 32768 3172 24118 50412 33012 18851 2030 2047 50661 32767 35250 46818 5956 18816 0 18896 64085 32768 32209 54089 32767 62731 17077; image RGBA UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGBA UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RGBA UNSIGNED_INT32 6x1 = 682450377 4294967295 994403271 472116718 3293421921 0 1527363653 2147483647 3200694252 0 1301980822 4294967295 3796659296 4054105915 2282966622 2960240858 2775836874 2147483648 3728023983 2843698621 1388708578 2147483647 1104720978 541410883; image RGBA UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGBA UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image RGBA HALF_FLOAT 6x1 = -1.328 1.142 1.573 0.062 -1.860 2.038 2.612 0.939 1.787 3.798 1.785 0.823 -1.211 -2.110 3.646 -1.930 3.640 3.959 -2.683 1.263 -2.437 -2.792 -2.813 -1.583; image RGBA HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBA HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.48623 -0.54283 -0.93773 0.98737 -0.52607 0.92460 -0.08660 -1.16972
// run: floats global=6 local=2 args: image RGBA FLOAT 6x1 = 2.835 -0.508 -2.220 3.847 -1.630 -3.823 -1.942 1.906 -3.956 -2.062 2.823 1.609 0.699 1.178 2.768 1.343 1.220 3.021 1.134 0.670 -2.171 -2.548 -3.006 -0.540; image RGBA FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBA FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.57646 0.48156 0.94739 -0.61825 -0.23968 0.51033 -0.82450 0.83866
// run: floats global=6 local=2 args: image Rx SNORM_INT8 6x1 = 5 104 169 46 83 99 232 9 255 255 25 116; image Rx SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.09848 0.52151 0.02926 0.33423 0.78956 0.05205 -0.21516 1.07513
// run: floats global=6 local=2 args: image Rx SNORM_INT16 6x1 = 65535 49984 47782 23296 16545 32767 0 27560 44229 17377 32768 61599; image Rx SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.08862 1.13160 1.18615 1.10604 -0.09092 -0.80512 1.03061 -1.03465
// run: floats global=6 local=2 args: image Rx UNORM_INT8 6x1 = 49 143 208 90 212 208 255 255 120 217 127 251; image Rx UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.17735 -0.75386 -1.19353 0.53229 -0.52509 -0.61208 -0.47563 -0.04908
// run: floats global=6 local=2 args: image Rx UNORM_INT16 6x1 = 41766 32768 32768 3739 32768 9201 22619 982 13746 42988 0 55979; image Rx UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.63926 0.66313 -0.36853 -0.83359 0.96981 0.70002 -0.79701 0.93872
// run: integers global=6 local=2 args: image Rx SIGNED_INT8 6x1 = 200 128 255 189 171 142 127 255 142 127 179 127; image Rx SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image Rx SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image Rx SIGNED_INT16 6x1 = 0 32768 36868 19452 24573 65532 4941 32768 1869 0 61046 52992; image Rx SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image Rx SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image Rx SIGNED_INT32 6x1 = 2193120184 3252027965 145586508 2147483647 1454304066 2147483648 3343735073 3309591784 1220419494 1814145238 0 1257922153; image Rx SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image Rx SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image Rx UNSIGNED_INT8 6x1 = 126 128 223 249 127 84 128 0 10 141 139 102; image Rx UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image Rx UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image Rx UNSIGNED_INT16 6x1 = 407 32767 43123 32767 41078 45162 44628 0 30007 11396 65535 27628; image Rx UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image Rx UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image Rx UNSIGNED_INT32 6x1 = 3925955971 57666233 3533086005 2147483648 1108113208 793608273 1367848684 0 2242634477 0 1808488198 3945484469; image Rx UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image Rx UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image Rx HALF_FLOAT 6x1 = -0.763 -3.462 1.440 0.751 3.945 1.275 -2.758 2.159 0.390 -3.337 -0.222 3.166; image Rx HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.30455 -0.17520 -1.17761 0.40648 1.16796 0.86032 -0.67621 -0.90877
// run: floats global=6 local=2 args: image Rx FLOAT 6x1 = -0.221 -1.796 0.552 -0.394 1.954 3.382 -1.073 1.978 1.559 -2.842 2.075 -1.655; image Rx FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.13797 -0.00457 0.40690 0.93602 0.99245 -1.07361 -1.12328 -1.05468
// run: floats global=6 local=2 args: image RGx SNORM_INT8 6x1 = 175 20 79 42 213 15 242 112 42 0 165 127 199 241 128 0 166 211; image RGx SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.23977 0.88694 0.54170 -1.16280 -0.83731 0.79830 0.20320 1.14333
// run: floats global=6 local=2 args: image RGx SNORM_INT16 6x1 = 32767 39438 15358 18566 21071 32767 0 65535 56833 9633 32767 5574 31769 13135 47329 15337 3772 30495; image RGx SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.50001 1.02240 0.20733 -1.17751 -0.27606 0.09735 0.08676 -0.34775
// run: floats global=6 local=2 args: image RGx UNORM_INT8 6x1 = 127 229 128 150 255 255 74 144 199 38 127 27 118 39 7 132 24 127; image RGx UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.20811 -0.68740 1.02119 -0.52842 -0.96694 -0.12753 0.22349 0.26093
// run: floats global=6 local=2 args: image RGx UNORM_INT16 6x1 = 0 65183 0 0 57060 31905 59632 56555 26043 46293 16855 15283 62679 33194 29382 24308 64993 11280; image RGx UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.10728 -0.58593 -0.35517 0.96661 0.97097 0.80932 -1.08710 0.68730
// run: integers global=6 local=2 args: image RGx SIGNED_INT8 6x1 = 165 123 255 1 173 150 194 120 65 95 43 206 0 233 0 255 128 35; image RGx SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGx SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RGx SIGNED_INT16 6x1 = 62780 32767 41180 32768 15327 41168 21756 0 32767 9483 9790 32767 0 32768 10996 0 59190 10051; image RGx SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGx SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RGx SIGNED_INT32 6x1 = 244181443 3382735921 906919041 3587510134 2147483648 4169125774 4256402530 4294967295 419037854 1785142988 246884885 4202765165 0 2180951851 601911454 3391155606 2261672542 2147483648; image RGx SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGx SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image RGx UNSIGNED_INT8 6x1 = 233 70 35 133 182 0 227 126 44 255 51 127 234 128 215 242 3 195; image RGx UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGx UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RGx UNSIGNED_INT16 6x1 = 57148 16275 32768 32768 56234 32767 4675 65535 56719 51060 24994 58854 0 32427 1680 35214 65535 14660; image RGx UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGx UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RGx UNSIGNED_INT32 6x1 = 721040965 2147483648 4103214393 0 3172901096 0 2735194910 2245886808 2147483647 0 194006356 2147483647 2150728643 472618219 2147483647 2326144352 3698354449 2147483647; image RGx UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGx UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image RGx HALF_FLOAT 6x1 = 1.973 -2.685 2.608 3.501 -0.890 -0.636 2.718 0.205 -0.835 3.530 2.215 -1.292 -2.077 -1.319 -0.515 3.850 2.435 3.302; image RGx HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.75610 0.83431 -1.07147 0.04170 1.09887 1.04240 -0.60172 -0.18687
// run: floats global=6 local=2 args: image RGx FLOAT 6x1 = 1.062 -1.085 0.246 -3.446 -0.536 0.038 -3.833 -2.885 3.758 2.213 3.495 1.066 2.474 3.075 3.077 -3.725 1.133 -1.874; image RGx FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.42825 -0.54376 0.10141 1.01852 0.29102 -0.59861 0.04873 -0.15914
// run: floats global=6 local=2 args: image BGRA UNORM_INT8 6x1 = 73 128 30 128 255 130 128 147 255 189 214 177 166 140 117 77 120 7 255 127 101 128 255 83; image BGRA UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image BGRA UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.02062 -0.51643 1.17003 -0.49079 0.65311 -0.81944 -1.03968 0.89106
// run: floats global=6 local=2 args: image BGRA SNORM_INT8 6x1 = 15 213 188 133 255 171 172 128 132 127 255 26 0 246 38 200 0 115 73 74 134 98 1 217; image BGRA SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image BGRA SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.17535 -0.28638 -0.47995 0.08850 0.72709 -0.15445 -0.29520 -0.64335
// run: integers global=6 local=2 args: image BGRA SIGNED_INT8 6x1 = 84 215 62 52 228 2 128 127 128 255 211 175 118 152 115 173 255 128 166 146 255 124 196 255; image BGRA SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image BGRA SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image BGRA UNSIGNED_INT8 6x1 = 177 208 128 250 128 28 75 210 130 107 134 255 48 15 154 0 2 78 141 128 25 171 255 141; image BGRA UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image BGRA UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image ARGB UNORM_INT8 6x1 = 223 136 36 105 37 0 0 127 156 204 0 148 183 128 128 219 149 255 98 255 149 11 158 255; image ARGB UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image ARGB UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.09445 1.03398 0.85132 -0.44450 0.95728 0.75816 -0.47118 0.24613
// run: floats global=6 local=2 args: image ARGB SNORM_INT8 6x1 = 126 17 127 149 128 182 202 22 128 1 74 92 127 166 0 233 62 119 255 71 87 61 23 255; image ARGB SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image ARGB SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.13194 -0.07907 0.70785 -0.62356 -0.31700 -0.68046 -0.22763 0.31042
// run: integers global=6 local=2 args: image ARGB SIGNED_INT8 6x1 = 76 129 127 241 66 112 94 103 54 0 23 69 195 168 37 99 177 255 169 17 92 194 0 22; image ARGB SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image ARGB SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image ARGB UNSIGNED_INT8 6x1 = 255 102 127 118 225 220 128 128 169 229 168 118 127 160 128 255 10 155 255 39 10 161 45 58; image ARGB UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image ARGB UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image ABGR UNORM_INT8 6x1 = 183 236 175 239 128 224 155 249 0 128 128 22 190 191 56 0 243 238 128 212 160 13 52 131; image ABGR UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image ABGR UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.83175 0.66780 -0.02518 -0.74569 1.08552 0.78042 0.14190 -0.78113
// run: floats global=6 local=2 args: image ABGR SNORM_INT8 6x1 = 255 63 43 105 128 127 60 1 113 128 34 36 61 208 127 43 39 118 103 29 3 52 128 28; image ABGR SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image ABGR SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.48390 -0.12476 -0.92883 -0.42127 -0.07522 -0.32886 -0.79657 -1.02764
// run: integers global=6 local=2 args: image ABGR SIGNED_INT8 6x1 = 127 128 144 127 125 128 0 160 187 64 20 0 127 75 246 216 174 128 83 165 81 255 94 64; image ABGR SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image ABGR SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image ABGR UNSIGNED_INT8 6x1 = 0 127 241 127 40 154 20 255 127 102 0 122 128 127 0 131 227 112 255 42 1 144 145 0; image ABGR UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image ABGR UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image INTENSITY UNORM_INT8 6x1 = 132 248 160 249 155 207; image INTENSITY UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.74327 0.53464 -0.40430 0.38025 0.15606 -0.18926 -0.31527 0.37559
// run: floats global=6 local=2 args: image INTENSITY UNORM_INT16 6x1 = 32768 41533 65535 32767 9628 24380; image INTENSITY UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.13171 1.06363 -0.33600 -0.62343 -0.14072 -0.57341 -0.65461 1.12447
// run: floats global=6 local=2 args: image INTENSITY SNORM_INT8 6x1 = 0 128 48 64 58 57; image INTENSITY SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.09894 0.47214 0.56541 0.98221 0.16047 0.84369 0.43078 0.72080
// run: floats global=6 local=2 args: image INTENSITY SNORM_INT16 6x1 = 0 62939 6690 44955 11223 12559; image INTENSITY SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.15128 0.65995 -0.87167 0.66279 -1.06187 -0.63143 -0.30637 -1.16359
// run: floats global=6 local=2 args: image INTENSITY HALF_FLOAT 6x1 = 0.754 -2.295 -1.601 1.659 -0.592 3.109; image INTENSITY HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.29081 0.89310 0.15110 1.00201 0.88986 -0.79679 0.58904 -0.38065
// run: floats global=6 local=2 args: image INTENSITY FLOAT 6x1 = 2.109 1.444 2.605 -3.018 -1.016 1.898; image INTENSITY FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.07527 0.53227 -1.09559 0.24911 -0.96085 0.11720 0.72725 -0.92887
// run: floats global=6 local=2 args: image LUMINANCE UNORM_INT8 6x1 = 172 128 127 127 0 18; image LUMINANCE UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.72166 -0.75535 0.13019 -0.50392 0.44919 -0.28603 -0.85382 0.90097
// run: floats global=6 local=2 args: image LUMINANCE UNORM_INT16 6x1 = 45188 17610 904 65535 31717 52458; image LUMINANCE UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.80918 -1.02095 0.28901 0.34725 0.23992 0.82310 1.12207 0.46301
// run: floats global=6 local=2 args: image LUMINANCE SNORM_INT8 6x1 = 58 156 92 55 33 11; image LUMINANCE SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.69269 0.76603 0.54539 -0.40471 -0.07583 1.04979 -0.44554 -0.39479
// run: floats global=6 local=2 args: image LUMINANCE SNORM_INT16 6x1 = 14851 32767 39889 65535 9414 32768; image LUMINANCE SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.04764 1.17926 -0.34360 0.17646 0.20259 -0.86617 0.47666 0.99613
// run: floats global=6 local=2 args: image LUMINANCE HALF_FLOAT 6x1 = 3.221 -3.238 -2.406 -0.590 0.574 -3.208; image LUMINANCE HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.70057 0.70330 -0.62871 0.71208 -0.86126 -1.02713 1.11110 -0.38040
// run: floats global=6 local=2 args: image LUMINANCE FLOAT 6x1 = -1.099 2.826 -2.038 2.983 1.726 -1.325; image LUMINANCE FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.49014 0.41221 0.92079 0.67816 0.00896 0.94608 0.74212 1.19192
// run: floats global=6 local=2 args: image DEPTH UNORM_INT16 6x1 = 65535 32767 25957 19818 38456 32768; image DEPTH UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image DEPTH UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.52765 -0.59492 0.17256 0.38126 1.11796 -1.02360 -0.74343 1.01947
// run: floats global=6 local=2 args: image DEPTH FLOAT 6x1 = 0.679 -1.566 -1.172 -0.257 3.764 1.522; image DEPTH FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image DEPTH FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.53089 1.01269 0.81261 -0.43378 -0.77944 0.95456 0.11156 0.62038
// run: floats global=6 local=2 args: image RGB UNORM_SHORT_565 6x1 = 15525 14307 32767 32768 42473 65535; image RGB UNORM_SHORT_565 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGB UNORM_SHORT_565 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.56133 1.11154 0.24245 -1.00966 0.74273 0.90124 -0.38122 -0.87200
// run: floats global=6 local=2 args: image RGB UNORM_SHORT_555 6x1 = 0 60482 32768 49107 32767 44496; image RGB UNORM_SHORT_555 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGB UNORM_SHORT_555 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.72092 -0.78119 0.87193 0.71103 -0.99072 0.27070 0.66231 1.17078
// run: floats global=6 local=2 args: image RGB UNORM_INT_101010 6x1 = 4038295896 58411874 2147483648 4241386286 1782991123 3110135436; image RGB UNORM_INT_101010 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGB UNORM_INT_101010 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.80381 -0.82397 -1.15536 -0.69484 0.07076 0.81746 -0.34117 -0.33186
// run: floats global=6 local=2 args: image RGBx UNORM_SHORT_565 6x1 = 44574 36372 32768 32768 31297 50855; image RGBx UNORM_SHORT_565 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBx UNORM_SHORT_565 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.35354 0.36394 0.11878 0.49528 0.14232 -0.33275 0.07112 -0.54257
// run: floats global=6 local=2 args: image RGBx UNORM_SHORT_555 6x1 = 32767 32768 65535 64165 0 8009; image RGBx UNORM_SHORT_555 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBx UNORM_SHORT_555 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.05560 0.00444 0.13259 -0.76363 1.05539 -0.32254 -0.84164 -0.77417
// run: floats global=6 local=2 args: image RGBx UNORM_INT_101010 6x1 = 3957626086 2269881667 4294967295 3692962434 2732138606 3869893481; image RGBx UNORM_INT_101010 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBx UNORM_INT_101010 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.72128 -0.09576 -0.42280 0.96840 -0.94127 0.56013 -1.04295 0.34910
// run: floats global=6 local=2 args: image RGBA UNORM_INT_101010_2 6x1 = 3711105730 979753980 1760624716 1613046953 2693471743 131883976; image RGBA UNORM_INT_101010_2 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBA UNORM_INT_101010_2 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.59537 -0.57043 -0.15889 -0.64469 -0.71231 0.62200 0.34250 -0.48370
// run: floats global=6 local=2 args: image sRGB UNORM_INT8 6x1 = 55 202 128 34 72 0 228 128 152 54 226 217 92 127 255 76 206 0; image sRGB UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image sRGB UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.87988 -0.47350 0.00631 -0.35598 0.60313 -0.08525 -0.24678 -0.20592
// run: floats global=6 local=2 args: image sRGBx UNORM_INT8 6x1 = 170 225 229 255 0 255 178 0 128 0 127 134 45 255 139 28 214 235 255 248 187 255 128 0; image sRGBx UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image sRGBx UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.72853 -1.08514 0.69485 1.08463 -0.55870 -0.41829 -1.10062 -0.11102
// run: floats global=6 local=2 args: image sRGBA UNORM_INT8 6x1 = 128 251 190 102 138 249 127 205 0 128 186 61 169 0 12 142 165 171 248 121 218 87 254 211; image sRGBA UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image sRGBA UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.31083 0.58393 -0.29079 0.50922 -0.25554 0.06302 0.27075 0.42529
// run: floats global=6 local=2 args: image sBGRA UNORM_INT8 6x1 = 160 170 128 127 89 122 255 128 135 128 255 127 0 92 209 104 128 93 205 77 22 128 177 127; image sBGRA UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image sBGRA UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.55363 -0.78117 0.04161 -1.18579 -0.88675 -0.02694 0.38464 0.29459
