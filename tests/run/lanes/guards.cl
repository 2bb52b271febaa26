// Guards on ids: rows in which all items go on, none does, and some do; guards in loops, on both sides, and with values
// that meet behind them.
// run: one global=40 local=8 args: int[40] = iota; int[40] = 5 ... ; int = 29
// expect: 0 = 11 27 25 18 27 63 47 63 49 42 51 99 83 99 73 66 75 0 119 135 97 90 99 171 155 171 121 114 123 0 0 0 0 0 0 0 0 0 0 0
// run: one global=40 local=40 args: int[40] = iota; int[40] = 5 ... ; int = 0
// expect: 0 = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: one global=37 local=37 args: int[37] = iota; int[37] = 5 ... ; int = 100
// expect: 0 = 11 27 25 18 27 63 47 63 49 42 51 99 83 99 73 66 75 0 119 135 97 90 99 171 155 171 121 114 123 207 191 207 145 138 147 243 227
// run: border global=12,5 local=12,5 args: float[60] = iota; float[60] = 0 ... ; int = 12; int = 5
// expect: 1 = 0 1 2 3 4 5 6 7 8 9 10 11 12 244 259 274 289 304 319 334 349 364 379 23 24 424 439 454 469 484 499 514 529 544 559 35 36 604 619 634 649 664 679 694 709 724 739 47 48 49 50 51 52 53 54 55 56 57 58 59
// run: border global=19,4 local=19,1 args: float[76] = iota; float[76] = 0 ... ; int = 19; int = 4
// expect: 1 = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 377 392 407 422 437 452 467 482 497 512 527 542 557 572 587 602 617 37 38 662 677 692 707 722 737 752 767 782 797 812 827 842 857 872 887 902 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75
// run: window global=33 local=33 args: int[33] = iota; int[33] = 0 ... ; int = 33
// expect: 1 = 166 220 277 336 364 392 420 448 476 504 532 560 588 616 644 672 700 728 756 784 812 840 868 896 924 952 980 1008 1036 1064 829 620 438
// run: vectors global=20 local=10 args: float4[20] = iota; float4[20] = 1 ... ; int = 13
// expect: 1 = 51 52 50 51 52 53 51 52 53 54 52 53 54 55 53 54 55 56 54 55 56 57 55 56 57 58 56 57 58 59 57 58 59 60 58 59 60 61 59 60 61 62 60 61 62 63 61 62 63 64 62 63 27 27 27 27 29 29 29 29 31 31 31 31 33 33 33 33 35 35 35 35 37 37 37 37 39 39 39 39
kernel void one(global int *data, global const int *more, int n) {
    int i = get_global_id(0), kept = -i;
    if (i < n && i != 17) {
        int sum = data[i] * 3 + more[i];
        for (int k = 0; k < i % 3; ++k)
            sum += more[i] + k;
        if (sum % 2)
            data[i] = sum;
        kept = sum + 1;
    }
    data[i] += kept;
}

kernel void border(global const float *from, global float *to, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1), at = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        to[at] = from[at];
        return;
    }
    to[at] = from[at - 1] + from[at + 1] * 2 + from[at - width] * 4 + from[at + width] * 8;
}

kernel void window(global const int *from, global int *to, int n) {
    int i = get_global_id(0), sum = 0;
    for (int k = -3; k <= 3; ++k) {
        if (i + k < 0 || i + k >= n)
            continue;
        sum += from[i + k] * (k + 4) + from[i] + from[n - 1 - i];
    }
    to[i] = sum;
}

kernel void vectors(global const float4 *from, global float4 *to, int n) {
    int i = get_global_id(0);
    float4 value = (float4)(i);
    if (i >= n)
        value = value * 2.0f + to[i];
    else
        value += from[i] * to[i].yxwz + from[n - 1 - i].wwxx;
    to[i] = value;
}
