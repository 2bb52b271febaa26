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
// run: floats global=6 local=2 args: image Rx SNORM_INT8 6x1 = 5 104 169 46 83 99; image Rx SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.79649 0.97966 -0.94469 -0.59706 -0.67708 0.51892 1.08318 -0.72045
// run: floats global=6 local=2 args: image Rx SNORM_INT16 6x1 = 55519 35457 32767 41894 24242 26892; image Rx SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.58106 -0.10342 1.17667 -0.75887 0.03310 1.03846 0.54986 0.27361
// run: floats global=6 local=2 args: image Rx UNORM_INT8 6x1 = 64 127 0 107 172 67; image Rx UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.93778 -0.47161 -0.23885 1.08862 1.13160 1.18615 1.10604 -0.09092
// run: floats global=6 local=2 args: image Rx UNORM_INT16 6x1 = 0 41569 65535 9585 41864 52117; image Rx UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.75883 -0.07656 -0.49358 0.11584 -0.89960 0.80099 -0.34861 0.84161
// run: integers global=6 local=2 args: image Rx SIGNED_INT8 6x1 = 127 251 47 206 71 167; image Rx SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image Rx SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image Rx SIGNED_INT16 6x1 = 31427 40852 43205 10010 55996 5588; image Rx SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image Rx SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image Rx SIGNED_INT32 6x1 = 3890406919 4048490699 2147483648 64363711 900867111 2817312750; image Rx SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image Rx SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image Rx UNSIGNED_INT8 6x1 = 0 218 127 39 127 42; image Rx UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image Rx UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image Rx UNSIGNED_INT16 6x1 = 45090 51202 32768 65535 48621 43989; image Rx UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image Rx UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image Rx UNSIGNED_INT32 6x1 = 2383980841 2147483647 4294967295 2393168998 2147483647 3008287994; image Rx UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image Rx UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image Rx HALF_FLOAT 6x1 = -0.069 -0.015 0.316 2.903 -3.947 2.726; image Rx HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.07690 0.15017 0.39672 0.81736 -0.30010 -0.19484 1.10547 -1.01905
// run: floats global=6 local=2 args: image Rx FLOAT 6x1 = 1.096 1.089 -3.772 0.877 1.461 3.452; image Rx FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image Rx FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.40691 1.15611 0.02550 -0.03678 0.95415 -1.11865 0.52364 0.30067
// run: floats global=6 local=2 args: image RGx SNORM_INT8 6x1 = 220 87 134 233 127 64 211 128 103 251 128 167; image RGx SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.01874 -0.91697 -0.73846 0.51163 -0.89383 1.13460 -0.98982 1.19159
// run: floats global=6 local=2 args: image RGx SNORM_INT16 6x1 = 36326 35743 26114 407 32767 43123 32767 41078 45162 44628 0 30007; image RGx SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.30067 -0.78263 0.39269 0.88609 -0.18823 -0.95855 1.03323 -1.16778
// run: floats global=6 local=2 args: image RGx UNORM_INT8 6x1 = 35 143 220 107 0 164 233 0 198 147 103 3; image RGx UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.43191 0.22527 1.18350 0.38255 -0.82729 0.64773 0.11713 -1.00098
// run: floats global=6 local=2 args: image RGx UNORM_INT16 6x1 = 58705 0 611 7973 56260 0 0 65535 48772 0 48971 56065; image RGx UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.85248 0.62244 -0.49646 0.13797 -0.00457 0.40690 0.93602 0.99245
// run: integers global=6 local=2 args: image RGx SIGNED_INT8 6x1 = 0 0 175 20 79 42 213 15 242 112 42 0; image RGx SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGx SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RGx SIGNED_INT16 6x1 = 42263 32767 50993 61926 32768 0 42660 54225 56987 64058 65535 20224; image RGx SIGNED_INT16 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGx SIGNED_INT16 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: integers global=6 local=2 args: image RGx SIGNED_INT32 6x1 = 4193552492 1617814763 1615766271 3848788667 2147483647 0 1151150073 2519612548 3278451846 181662422 4294967295 3724617770; image RGx SIGNED_INT32 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image RGx SIGNED_INT32 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image RGx UNSIGNED_INT8 6x1 = 37 127 21 124 51 184 59 14 119 237 0 117; image RGx UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGx UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RGx UNSIGNED_INT16 6x1 = 35137 50604 32767 58781 32768 38622 65535 65535 18992 36990 51094 9765; image RGx UNSIGNED_INT16 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGx UNSIGNED_INT16 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: unsigned_integers global=6 local=2 args: image RGx UNSIGNED_INT32 6x1 = 2147483647 455774516 1990433272 670680413 130390007 2231050047 404091005 2147483647 917332445 2147483648 4065184753 2547431707; image RGx UNSIGNED_INT32 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image RGx UNSIGNED_INT32 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image RGx HALF_FLOAT 6x1 = 2.551 3.708 -1.968 -3.697 -2.392 -2.554 -3.331 -3.592 0.459 2.965 -0.334 3.578; image RGx HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.98381 -1.04595 0.23536 -0.24625 -0.91220 1.10231 -0.58274 0.15474
// run: floats global=6 local=2 args: image RGx FLOAT 6x1 = 1.125 3.651 1.358 -0.855 -0.413 -2.722 3.726 3.934 -2.226 -3.691 -1.953 -1.184; image RGx FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGx FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.96661 0.97097 0.80932 -1.08710 0.68730 0.50306 0.35205 1.16502
// run: floats global=6 local=2 args: image BGRA UNORM_INT8 6x1 = 255 1 173 150 194 120 65 95 43 206 0 233 0 255 128 35 245 127 160 128 59 160 84 0; image BGRA UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image BGRA UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.76742 -0.11669 0.93436 -0.14647 -0.84146 -0.19617 -0.60778 -1.13899
// run: floats global=6 local=2 args: image BGRA SNORM_INT8 6x1 = 75 42 0 231 39 14 201 54 213 128 248 253 255 24 106 14 250 0 129 35 202 134 128 233; image BGRA SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image BGRA SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.21854 -0.53557 -0.76635 0.82409 0.05197 -0.64699 -0.77849 0.24156
// run: integers global=6 local=2 args: image BGRA SIGNED_INT8 6x1 = 227 126 44 255 51 127 234 128 215 242 3 195 223 63 128 128 219 127 18 255 221 199 97 229; image BGRA SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image BGRA SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image BGRA UNSIGNED_INT8 6x1 = 0 126 6 137 255 57 42 128 244 0 189 0 163 133 127 0 11 127 128 28 127 138 220 127; image BGRA UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image BGRA UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image ARGB UNORM_INT8 6x1 = 42 4 99 152 134 0 86 214 111 144 233 102 13 37 239 222 161 0 17 51 5 127 198 116; image ARGB UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image ARGB UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.31971 0.74224 0.92250 0.92314 -1.11750 0.33978 -0.56215 0.42825
// run: floats global=6 local=2 args: image ARGB SNORM_INT8 6x1 = 0 64 0 243 0 165 0 244 230 127 238 0 226 127 70 0 73 156 56 51 93 140 122 79; image ARGB SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image ARGB SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.12569 -0.39920 -0.74687 0.11020 1.12705 -0.24851 1.01806 -0.81049
// run: integers global=6 local=2 args: image ARGB SIGNED_INT8 6x1 = 82 125 255 0 0 89 15 213 188 133 255 171 172 128 132 127 255 26 0 246 38 200 0 115; image ARGB SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image ARGB SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image ARGB UNSIGNED_INT8 6x1 = 73 74 134 98 1 217 97 47 205 127 22 84 215 62 52 228 2 128 127 128 255 211 175 118; image ARGB UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image ARGB UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image ABGR UNORM_INT8 6x1 = 152 115 173 255 128 166 146 255 124 196 255 177 208 128 250 128 28 75 210 130 107 134 255 48; image ABGR UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image ABGR UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.21058 -1.05559 0.15588 -0.94411 0.16768 0.31516 0.53488 0.46017
// run: floats global=6 local=2 args: image ABGR SNORM_INT8 6x1 = 0 176 234 215 0 50 128 229 255 255 31 0 0 127 156 204 0 148 183 128 128 219 149 255; image ABGR SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image ABGR SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.12039 -0.27442 -1.06877 0.93730 0.19839 1.10307 -0.14486 0.28843
// run: integers global=6 local=2 args: image ABGR SIGNED_INT8 6x1 = 0 255 230 116 154 127 17 127 149 128 182 202 22 128 1 74 92 127 166 0 233 62 119 255; image ABGR SIGNED_INT8 6x1 = 0; int[24] = 0
// run: wild_integers global=6 local=3 args: image ABGR SIGNED_INT8 6x1 = 0; int[24] = 0 1 -1 127 128 -128 -129 255 256 32767 32768 -32768 -32769 65535 65536 2147483647 -2147483648 -1 -200 70000 5 6 7 8
// run: unsigned_integers global=6 local=2 args: image ABGR UNSIGNED_INT8 6x1 = 71 87 61 23 255 119 206 128 184 161 53 127 58 172 128 112 94 103 54 0 23 69 195 168; image ABGR UNSIGNED_INT8 6x1 = 0; uint[24] = 0
// run: wild_unsigned global=6 local=3 args: image ABGR UNSIGNED_INT8 6x1 = 0; uint[24] = 0 1 4294967295 127 128 255 256 32767 32768 65535 65536 2147483647 2147483648 3 4 5 9 70000 5 6 7 8 100 200
// run: floats global=6 local=2 args: image INTENSITY UNORM_INT8 6x1 = 37 99 177 255 169 17; image INTENSITY UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.14878 -0.33244 0.00088 -0.48730 -1.04181 -0.45295 -0.65658 -0.89728
// run: floats global=6 local=2 args: image INTENSITY UNORM_INT16 6x1 = 18505 55336 50790 41197 8661 11560; image INTENSITY UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.12902 0.43110 0.39267 -0.35657 -0.20983 0.38175 0.47820 -0.60379
// run: floats global=6 local=2 args: image INTENSITY SNORM_INT8 6x1 = 90 25 0 255 10 155; image INTENSITY SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.81117 -0.72459 -0.47262 -0.28622 -1.10584 -0.45380 0.33196 -0.76879
// run: floats global=6 local=2 args: image INTENSITY SNORM_INT16 6x1 = 37366 34129 32767 37701 63 32768; image INTENSITY SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.96257 0.90027 0.20430 0.47041 1.13791 0.43457 -1.11089 -0.43548
// run: floats global=6 local=2 args: image INTENSITY HALF_FLOAT 6x1 = 2.217 -1.235 3.309 -0.662 1.951 3.985; image INTENSITY HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.27680 -0.67008 0.06558 -0.36231 1.07907 -0.13786 -0.38328 0.00738
// run: floats global=6 local=2 args: image INTENSITY FLOAT 6x1 = 1.507 2.711 1.008 0.069 1.413 -2.352; image INTENSITY FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image INTENSITY FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.41549 0.83175 0.66780 -0.02518 -0.74569 1.08552 0.78042 0.14190
// run: floats global=6 local=2 args: image LUMINANCE UNORM_INT8 6x1 = 255 163 128 0 128 51; image LUMINANCE UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.32761 -0.87074 0.44696 -0.03254 -0.04133 0.49349 -1.18589 0.45966
// run: floats global=6 local=2 args: image LUMINANCE UNORM_INT16 6x1 = 32768 8742 9298 15779 53437 32767; image LUMINANCE UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.62524 -0.79389 0.39968 0.23684 -0.09317 0.63878 0.79481 -0.92525
// run: floats global=6 local=2 args: image LUMINANCE SNORM_INT8 6x1 = 128 11 128 28 114 41; image LUMINANCE SNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE SNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.42127 -0.07522 -0.32886 -0.79657 -1.02764 -1.17405 1.18111 0.60107
// run: floats global=6 local=2 args: image LUMINANCE SNORM_INT16 6x1 = 32768 36939 32767 32004 32768 0; image LUMINANCE SNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE SNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.34682 0.30659 1.04460 0.36625 -0.59661 -0.60963 -0.86723 -1.13360
// run: floats global=6 local=2 args: image LUMINANCE HALF_FLOAT 6x1 = 2.196 2.717 -1.629 -2.514 1.105 2.766; image LUMINANCE HALF_FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE HALF_FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.02409 -0.79570 0.68308 0.79295 0.58158 -0.41598 -0.75710 0.78078
// run: floats global=6 local=2 args: image LUMINANCE FLOAT 6x1 = -1.439 -1.052 0.409 -1.046 2.651 -2.085; image LUMINANCE FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image LUMINANCE FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.10099 0.16049 0.30771 0.76736 0.49338 0.97247 1.06784 -0.01349
// run: floats global=6 local=2 args: image DEPTH UNORM_INT16 6x1 = 10320 39493 5258 65535 32767 26305; image DEPTH UNORM_INT16 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image DEPTH UNORM_INT16 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.98481 -1.10414 -0.14519 -0.74205 0.53508 -1.19327 0.81798 0.85279
// run: floats global=6 local=2 args: image DEPTH FLOAT 6x1 = 2.295 -0.596 -1.734 1.293 0.117 -0.630; image DEPTH FLOAT 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image DEPTH FLOAT 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.38720 -0.14714 0.39865 0.78257 0.96960 -0.80528 -0.49022 -0.13643
// run: floats global=6 local=2 args: image RGB UNORM_SHORT_565 6x1 = 22813 30725 32768 28073 59552 10116; image RGB UNORM_SHORT_565 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGB UNORM_SHORT_565 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 1.13849 1.10836 0.28769 0.74676 -1.05598 0.42347 0.26196 -0.48711
// run: floats global=6 local=2 args: image RGB UNORM_SHORT_555 6x1 = 62443 43024 19615 34760 1824 14580; image RGB UNORM_SHORT_555 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGB UNORM_SHORT_555 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.42884 -0.12637 -0.99550 0.38516 -0.30718 0.19384 -0.20070 0.07195
// run: floats global=6 local=2 args: image RGB UNORM_INT_101010 6x1 = 1702280761 4294967295 4294967295 482203694 2147483648 805478450; image RGB UNORM_INT_101010 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGB UNORM_INT_101010 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.07386 -0.59630 -0.02573 0.12965 -0.65627 0.17450 -0.92876 0.03164
// run: floats global=6 local=2 args: image RGBx UNORM_SHORT_565 6x1 = 5257 44531 32767 0 62939 6690; image RGBx UNORM_SHORT_565 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBx UNORM_SHORT_565 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.09603 0.44631 0.10632 1.12311 -0.74005 -0.05974 -0.97652 -0.30393
// run: floats global=6 local=2 args: image RGBx UNORM_SHORT_555 6x1 = 26499 32768 65535 7899 27916 5747; image RGBx UNORM_SHORT_555 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBx UNORM_SHORT_555 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.29081 0.89310 0.15110 1.00201 0.88986 -0.79679 0.58904 -0.38065
// run: floats global=6 local=2 args: image RGBx UNORM_INT_101010 6x1 = 2922809731 2147483648 2147483648 2253607103 3100017286 3507034384; image RGBx UNORM_INT_101010 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBx UNORM_INT_101010 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.24911 -0.96085 0.11720 0.72725 -0.92887 1.02086 0.42052 -0.58895
// run: floats global=6 local=2 args: image RGBA UNORM_INT_101010_2 6x1 = 2147483647 2147483647 0 316774541 795723430 2147483648; image RGBA UNORM_INT_101010_2 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image RGBA UNORM_INT_101010_2 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.89699 0.40696 0.80690 0.21196 -0.59937 1.19344 0.62746 -0.55509
// run: floats global=6 local=2 args: image sRGB UNORM_INT8 6x1 = 6 38 123 204 19 127 247 127 223 132 128 79 150 54 128 84 99 80; image sRGB UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image sRGB UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -1.18563 0.18999 -0.39893 -1.15077 -0.09742 1.16735 -1.09108 -0.85001
// run: floats global=6 local=2 args: image sRGBx UNORM_INT8 6x1 = 69 16 67 146 244 0 231 223 127 162 128 60 240 0 195 92 162 127 180 82 200 94 207 128; image sRGBx UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image sRGBx UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 -0.83806 -0.70713 0.93304 0.41135 -0.22804 -0.24942 0.65363 1.03075
// run: floats global=6 local=2 args: image sRGBA UNORM_INT8 6x1 = 36 78 128 255 20 77 252 248 109 236 127 44 128 194 128 0 127 228 221 25 0 153 0 224; image sRGBA UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image sRGBA UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.18116 0.52563 -1.18788 -0.55048 0.34197 -1.16398 -0.42505 -1.13382
// run: floats global=6 local=2 args: image sBGRA UNORM_INT8 6x1 = 222 166 156 86 127 22 85 252 65 223 128 252 106 185 40 255 0 92 137 221 168 147 189 208; image sBGRA UNORM_INT8 6x1 = 0; float[24] = 0
// run: wild_floats global=6 local=3 args: image sBGRA UNORM_INT8 6x1 = 0; float[24] = 0x7fc00000 -1e30 1e30 0.5 -0.5 0x7f800000 0xff800000 1e-7 0.0019 0.99999 -0.996 0.25 1.0 -1.0 0.7 2e-5 0.50743 0.63194 0.66238 -0.45779 0.65425 1.14572 -0.11241 -0.53217
