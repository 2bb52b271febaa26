// Loops that test at their end, entered if the test would hold at the start, as compilers write them.
// run: bounded global=1 local=1 args: int[16] = 0 ... ; int = -2147483648
// expect: 0 = 0 ...
// run: bounded global=1 local=1 args: int[16] = 0 ... ; int = -5
// expect: 0 = 0 ...
// run: bounded global=1 local=1 args: int[16] = 0 ... ; int = 3
// expect: 0 = 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void bounded(global int *p, int n) {
    if (n > 0) {
        ulong m = (ulong)(uint)n, i = 0;
        do { p[i & 15] = 1; i++; } while (i != m);
    }
}

// run: left global=1 local=1 args: int[16] = 0 ... ; int = -1; int = 0
// expect: 0 = 0 0 0 0 0 9 0 0 0 0 0 0 0 0 0 0
kernel void left(global int *p, int a, int n) {
    if (a < n) {
        ulong m = (uint)n, i = (uint)a;
        do {
            if (p[i & 7]) p[i & 15] = 1;
            if (p[3] == 0) { p[5] = 9; break; }
            i++;
        } while (i != m);
    }
}

// The first sum of the guard may wrap; those of the loop do not.
// run: wrapping global=18 local=18 args: int[18] = 0 ... ; int = 2147483630; long = 0
// expect: 0 = 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1
kernel void wrapping(global int *p, int base, long n) {
    int g = get_global_id(0), a = base + g;
    if ((long)(int)((uint)a + 5u) < n) {
        int i = a;
        do { p[g] += 1; i -= 32; } while ((long)(i + 5) < n);
    }
}

// run: dots global=64 local=16 args: int[1000] = iota ; int[64] = 0 ... ; int = 1000
kernel void dots(global const int *x, global int *out, int n) {
    int i = get_global_id(0), sum = 0;
    if (i < n) {
        global const int *at = x + i;
        do { sum += *at; at += get_global_size(0); i += get_global_size(0); } while (i < n);
    }
    out[get_global_id(0)] = sum;
}
