// A constant of lanes of another width: in the wider ones it is another number.
// run: k args: ushort[8] = 1 2 3 256 257 4096 65535 12319; ushort[16] = 0 ...; uint[4] = 0 ...
// expect: 1 = 257 514 771 256 513 4096 65279 20255 2 4 6 512 514 8192 65534 24638
// expect: 2 = 196609 16973827 285278465 807337983
kernel void k(global const ushort *in, global ushort *out, global uint *words) {
    ushort8 a = vload8(0, in);
    vstore8(a * as_ushort8((uchar16)(1)), 0, out);
    vstore8(a * as_ushort8((uint4)(0x20002)), 1, out);
    vstore4(as_uint4(a) * as_uint4((ushort8)(1)), 0, words);
}
