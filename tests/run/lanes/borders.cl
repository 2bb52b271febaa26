// Guards behind each other, of which the lanes in the middle pass all: the four sides of an image, and further conditions.
// run: sides global=70,5 args: int[350] = 0 ... ; int[350] = iota ; int = 70 ; int = 5
// run: sides global=64,3 args: int[192] = 0 ... ; int[192] = iota ; int = 64 ; int = 3
// run: sides global=9,9 args: int[81] = 0 ... ; int[81] = iota ; int = 9 ; int = 9
// run: sides global=160,4 local=32,2 args: int[640] = 0 ... ; int[640] = iota ; int = 160 ; int = 4
// run: nested global=200 args: int[200] = 0 ... ; int[200] = iota ; int = 190
// run: turns global=45,3 args: int[135] = 0 ... ; int[135] = iota ; int = 45 ; int = 7
kernel void sides(global int *to, global const int *from, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        to[at] = -from[at];
        return;
    }
    to[at] = from[at - width - 1] + 2 * from[at - 1] + 3 * from[at + width + 1] - from[at - width];
}

// Each guard returns something else, from inside of the one before.
kernel void nested(global int *to, global const int *from, int n) {
    int i = get_global_id(0);
    if (i < 3) {
        to[i] = 1;
        return;
    }
    int sum = from[i - 3] + from[i - 2] + from[i - 1];
    if (i < n) {
        sum += from[i + 1] * 5 + from[i + 2] * 7 + from[i + 3];
        if (i > 40) {
            to[i] = sum + from[i - 40] + from[i - 30] + from[i - 20];
            return;
        }
        sum -= to[i] + from[i] + from[i + 4];
    }
    to[i] = sum;
}

// Short rows, of which no group knows, and a loop that some items leave early.
kernel void turns(global int *to, global const int *from, int width, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * width + x, sum = 0;
    for (int k = 0; k < n; ++k) {
        sum = sum * 3 + from[at] + k;
        if (x % 7 == k)
            break;
    }
    to[at] = sum;
}
