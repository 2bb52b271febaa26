// All pairs of bodies, a block of them at a time in local memory. xyz is the position, w the mass.
kernel void advance(global const float4 *from, global float4 *to, global const float4 *velocity, int count, float dt,
                 local float4 *block)
{
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    float4 me = from[i];
    float4 pull = (float4)(0.0f);
    for (int start = 0; start < count; start += size) {
        block[l] = from[start + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; ++j) {
            float4 other = block[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            float strength = other.w * inverse * inverse * inverse;
            pull.x += dx * strength;
            pull.y += dy * strength;
            pull.z += dz * strength;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 moved = velocity[i] + pull * dt;
    to[i] = (float4)(me.x + moved.x * dt, me.y + moved.y * dt, me.z + moved.z * dt, me.w);
}
