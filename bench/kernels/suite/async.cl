// Copies one channel of four to local memory, smooths it, and writes it back beside the other channels.
kernel void smooth(global const float *from, global float *to, local float *in, local float *out)
{
    int l = get_local_id(0), size = get_local_size(0);
    int start = get_group_id(0) * size * 4;
    for (int channel = 0; channel < 4; ++channel) {
        event_t arrived = async_work_group_strided_copy(in, from + start + channel, size, 4, 0);
        wait_group_events(1, &arrived);
        float left = in[max(l - 1, 0)], right = in[min(l + 1, size - 1)];
        out[l] = 0.25f * left + 0.5f * in[l] + 0.25f * right;
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t left_again = async_work_group_strided_copy(to + start + channel, out, size, 4, 0);
        wait_group_events(1, &left_again);
    }
}
