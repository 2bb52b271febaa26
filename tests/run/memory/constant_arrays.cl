// Private arrays that only hold their initializers, and others that look like them: changed later, in a loop, by a function,
// under a condition, read before they are written again.
// run: kept global=24 local=8 args: uint[64] = 11 48 85 122 159 196 233 270 307 344 381 418 455 492 529 566 603 640 677 714 751 788 825 862 899 936 973 1 38 75 112 149 186 223 260 297 334 371 408 445 482 519 556 593 630 667 704 741 778 815 852 889 926 963 1000 28 65 102 139 176 213 250 287 324; int[24] = 0 ...
// expect: 1 = 2811141 2311535 6711711 2409837 6811043 6311707 2700116 6409971 2811196 2311123 6711562 2411675 6809851 6311062 2711684 6400142 2809934 2311211 6711137 2411543 6811702 6309820 2711072 6411697
// run: changed global=24 local=8 args: uint[64] = 11 48 85 122 159 196 233 270 307 344 381 418 455 492 529 566 603 640 677 714 751 788 825 862 899 936 973 1 38 75 112 149 186 223 260 297 334 371 408 445 482 519 556 593 630 667 704 741 778 815 852 889 926 963 1000 28 65 102 139 176 213 250 287 324; int[24] = 0 ...
// expect: 1 = 302007 30113 30290 40309 40415 10206 302236 300411 30107 40313 40786 10109 10215 300406 30632 30211 42007 10113 10882 300309 300415 30206 42828 40411
// run: looped global=24 local=8 args: uint[64] = 11 48 85 122 159 196 233 270 307 344 381 418 455 492 529 566 603 640 677 714 751 788 825 862 899 936 973 1 38 75 112 149 186 223 260 297 334 371 408 445 482 519 556 593 630 667 704 741 778 815 852 889 926 963 1000 28 65 102 139 176 213 250 287 324; int[24] = 0 ...
// expect: 1 = 312 345 374 421 334 206 257 273 362 355 474 301 214 326 197 333 372 225 364 311 334 276 307 333
// run: passed global=24 local=8 args: uint[64] = 11 48 85 122 159 196 233 270 307 344 381 418 455 492 529 566 603 640 677 714 751 788 825 862 899 936 973 1 38 75 112 149 186 223 260 297 334 371 408 445 482 519 556 593 630 667 704 741 778 815 852 889 926 963 1000 28 65 102 139 176 213 250 287 324; int[24] = 0 ...
// expect: 1 = 21464 22551 33272 24763 81484 32571 13252 44783 21464 22551 33272 24763 81484 32571 13252 44783 21464 22551 33272 24763 81484 32571 13252 44783

typedef struct { char c; short s; int n[2]; } record;

kernel void kept(global const uint *a, global int *out)
{
    size_t g = get_global_id(0);
    const int dx[8] = {0, 1, 0, -1, 5};
    int4 rows[3] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    char word[] = "constant";
    const record records[2] = {{1, 2, {3, 4}}, {5, 6, {7, 8}}};
    const float weights[5] = {0.5f, 1.5f, -2.0f, 4.0f, 8.0f};
    int sum = dx[a[g] & 7] + rows[a[g] % 3].z * 10 + word[a[g] % 9] * 100;
    sum += records[a[g] & 1].n[(a[g] >> 1) & 1] * 100000 + records[(a[g] >> 2) & 1].s * 1000000;
    for (int i = 0; i < 5; ++i)
        sum += (int)(weights[(i + a[g]) % 5] * i);
    out[g] = sum;
}

// Each of these arrays changes.
kernel void changed(global const uint *a, global int *out)
{
    size_t g = get_global_id(0);
    int first[4] = {1, 2, 3, 4};
    int second[4] = {1, 2, 3, 4};
    int third[4] = {1, 2, 3, 4};
    int fourth[4] = {1, 2, 3, 4};
    first[a[g] & 3] = 10;
    if (a[g] & 1)
        second[2] = 20;
    int sum = third[a[g] & 3];
    third[1] = 30;
    fourth[2] = a[g];
    sum += first[(a[g] >> 1) & 3] + second[(a[g] >> 2) & 3] * 100 + third[(a[g] >> 3) & 3] * 10000 + fourth[(a[g] + 1) & 3];
    out[g] = sum;
}

kernel void looped(global const uint *a, global int *out)
{
    size_t g = get_global_id(0);
    int sum = 0;
    int carried[4];
    for (int i = 0; i < 4; ++i)
        carried[i] = 7;
    for (int i = 0; i < 5; ++i) {
        int steps[4] = {1, 2, 3, 4};
        sum += steps[(a[g] + i) & 3] + carried[(a[g] >> i) & 3] * 10;
        carried[0] = 1;
        carried[1] = 2;
        if (sum & 1)
            steps[i & 3] = 100;
        sum += steps[(a[g] >> 1) & 3];
    }
    out[g] = sum;
}

int twice(int *p, uint i)
{
    p[i & 3] *= 2;
    return p[(i + 1) & 3];
}

int read(const int *p, uint i) { return p[i & 3]; }

kernel void passed(global const uint *a, global int *out)
{
    size_t g = get_global_id(0);
    int some[4] = {1, 2, 3, 4};
    const int others[4] = {5, 6, 7, 8};
    int *either = a[g] & 1 ? some : (int *)others;
    int sum = read(some, a[g]) + read(others, a[g] >> 1) * 10 + either[a[g] & 3] * 100;
    sum += twice(some, a[g]) * 1000 + some[(a[g] >> 1) & 3] * 10000;
    out[g] = sum;
}
