// switch: fall through, default in the middle, negative cases, sparse cases, goto.
// run: k global=8 local=1 args: int[8] = 0 1 2 3 -1 1000 77 4; int[8] = 0 ...
// expect: 1 = 10 31 21 3 -7 1 99 99
kernel void k(global const int *in, global int *out) {
    int r = 0;
    switch (in[get_global_id(0)]) {
    case 0:
        r = 10;
        break;
    case 1:
        r += 10;
    case 2:
        r += 20;
    default:
        r += 1;
        if (r == 1)
            goto odd;
        break;
    case 3: {
        r = 3;
        break;
    }
    case -1:
        r = -7;
        break;
    case 1000:
        r = 1;
    }
    goto end;
odd:
    r = 99;
end:
    out[get_global_id(0)] = r;
}
