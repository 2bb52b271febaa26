// Kernels that enqueue kernels, and pipes. QUEUES or PIPES is defined, depending on the support of the device.
#ifdef QUEUES

#define WAIT CLK_ENQUEUE_FLAGS_WAIT_KERNEL

// Counts enqueues that failed.
void check(global int *failures, int status)
{
    if (status != CLK_SUCCESS)
        atomic_inc(failures);
}

void insertion_sort(global int *data, int from, int to)
{
    for (int i = from + 1; i < to; ++i) {
        int value = data[i], at = i;
        for (; at > from && data[at - 1] > value; --at)
            data[at] = data[at - 1];
        data[at] = value;
    }
}

// Quicksort's partition around the median of three elements. Returns the start of the upper part. Both parts are
// shorter than the whole.
int partition(global int *data, int from, int to)
{
    int a = data[from], b = data[from + (to - from) / 2], c = data[to - 1];
    int pivot = max(min(a, b), min(max(a, b), c));
    int left = from, right = to - 1;
    for (;;) {
        while (data[left] < pivot)
            ++left;
        while (data[right] > pivot)
            --right;
        if (left >= right)
            return max(left, from + 1);
        int value = data[left];
        data[left++] = data[right];
        data[right--] = value;
    }
}

void sort_alone(global int *data, int from, int to)
{
    int ends[64], depth = 0;
    for (;;) {
        while (to - from > 24) {
            int middle = partition(data, from, to);
            // Pushes the longer part and continues with the shorter one, so that the stack suffices.
            if (middle - from < to - middle) {
                ends[depth++] = middle;
                ends[depth++] = to;
                to = middle;
            } else {
                ends[depth++] = from;
                ends[depth++] = middle;
                from = middle;
            }
        }
        insertion_sort(data, from, to);
        if (depth == 0)
            return;
        to = ends[--depth];
        from = ends[--depth];
    }
}

kernel void quicksort(global int *data, int from, int to, int alone, global int *failures)
{
    if (to - from <= alone) {
        sort_alone(data, from, to);
        return;
    }
    int middle = partition(data, from, to);
    queue_t queue = get_default_queue();
    ndrange_t one = ndrange_1D(1);
    check(failures, enqueue_kernel(queue, WAIT, one, ^{ quicksort(data, from, middle, alone, failures); }));
    check(failures, enqueue_kernel(queue, WAIT, one, ^{ quicksort(data, middle, to, alone, failures); }));
}

#define ITERATIONS 512
#define SIDE 64

int mandelbrot(int x, int y, int size)
{
    float cx = -2.0f + 2.5f * x / size, cy = -1.25f + 2.5f * y / size, a = 0, b = 0;
    int i = 0;
    for (; i < ITERATIONS && a * a + b * b < 4.0f; ++i) {
        float next = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = next;
    }
    return i;
}

// One work-item per pixel.
kernel void everywhere(global int *image, int size)
{
    int x = get_global_id(0), y = get_global_id(1);
    image[y * size + x] = mandelbrot(x, y, size);
}

// Mariani-Silver algorithm: each work-group has a square. If all pixels of its border have one value, so have the
// inner ones; otherwise the square is divided into four.
kernel void adaptive(global int *image, int size, int x0, int y0, int side, global int *failures)
{
    local int least, most;
    int item = get_local_id(0), items = get_local_size(0);
    int left = x0 + (int)get_group_id(0) % 2 * side, top = y0 + (int)get_group_id(0) / 2 * side;
    if (item == 0) {
        least = INT_MAX;
        most = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < 4 * side; i += items) {
        int edge = i / side, along = i % side;
        int x = left + (edge == 0 ? 0 : edge == 1 ? side - 1 : along);
        int y = top + (edge == 2 ? 0 : edge == 3 ? side - 1 : along);
        int value = mandelbrot(x, y, size);
        image[y * size + x] = value;
        atomic_min(&least, value);
        atomic_max(&most, value);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (least == most || side <= 16) {
        for (int i = item; i < (side - 2) * (side - 2); i += items) {
            int x = left + 1 + i % (side - 2), y = top + 1 + i / (side - 2);
            image[y * size + x] = least == most ? least : mandelbrot(x, y, size);
        }
    } else if (item == 0) {
        check(failures, enqueue_kernel(get_default_queue(), WAIT, ndrange_1D(4 * SIDE, SIDE),
            ^{ adaptive(image, size, left, top, side / 2, failures); }));
    }
}

// Work-item whose children each write a word.
kernel void children(global int *out, int count, int value, global int *failures)
{
    queue_t queue = get_default_queue();
    for (int i = 0; i < count; ++i)
        check(failures, enqueue_kernel(queue, WAIT, ndrange_1D(1), ^{ out[i] = value; }));
}

// Chain of kernels, each of which enqueues the next.
kernel void chain(global int *out, int left, int value, global int *failures)
{
    out[left] = value;
    if (left > 0)
        check(failures,
            enqueue_kernel(get_default_queue(), WAIT, ndrange_1D(1), ^{ chain(out, left - 1, value, failures); }));
}

#endif
#ifdef PIPES

// Kernels for packets that have a number in their first component.
#define ONE_BY_ONE(name, type, pack, number) \
    kernel void write_##name(write_only pipe type to, global int *failures) \
    { \
        type packet = pack((int)get_global_id(0)); \
        if (write_pipe(to, &packet) != 0) \
            atomic_inc(failures); \
    } \
    kernel void read_##name(read_only pipe type from, global int *out, global int *failures) \
    { \
        type packet = pack(-1); \
        if (read_pipe(from, &packet) != 0) \
            atomic_inc(failures); \
        out[get_global_id(0)] = number(packet); \
    }
#define RESERVED(name, type, pack, number) \
    kernel void write_reserved_##name(write_only pipe type to, global int *failures) \
    { \
        type packet = pack((int)get_global_id(0)); \
        reserve_id_t places = work_group_reserve_write_pipe(to, get_local_size(0)); \
        if (!is_valid_reserve_id(places)) { \
            atomic_inc(failures); \
            return; \
        } \
        if (write_pipe(to, places, get_local_id(0), &packet) != 0) \
            atomic_inc(failures); \
        work_group_commit_write_pipe(to, places); \
    } \
    kernel void read_reserved_##name(read_only pipe type from, global int *out, global int *failures) \
    { \
        type packet = pack(-1); \
        reserve_id_t places = work_group_reserve_read_pipe(from, get_local_size(0)); \
        if (!is_valid_reserve_id(places)) { \
            atomic_inc(failures); \
            return; \
        } \
        if (read_pipe(from, places, get_local_id(0), &packet) != 0) \
            atomic_inc(failures); \
        work_group_commit_read_pipe(from, places); \
        out[get_global_id(0)] = number(packet); \
    }
#define ITSELF(packet) (packet)
#define FIRST(packet) (packet).s0
ONE_BY_ONE(4, int, ITSELF, ITSELF)
ONE_BY_ONE(64, int16, (int16), FIRST)
RESERVED(4, int, ITSELF, ITSELF)
RESERVED(64, int16, (int16), FIRST)

#endif
