// One step of a bitonic sort.
kernel void exchange(global uint *data, int run, int distance)
{
    int i = get_global_id(0);
    int partner = i ^ distance;
    if (partner > i) {
        uint here = data[i], there = data[partner];
        bool up = (i & run) == 0;
        if ((here > there) == up) {
            data[i] = there;
            data[partner] = here;
        }
    }
}
