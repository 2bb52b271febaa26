// All pairs of bodies: each work-group walks over all bodies in blocks that it first copies to local memory. xyz is
// the position, w the mass.

kernel void step(global const float4 *from, global float4 *to, global float4 *velocity, int count, float dt,
                 local float4 *block) {
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    float4 me = from[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int start = 0; start < count; start += size) {
        block[l] = from[start + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; ++j) {
            float4 other = block[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float s = other.w / (r2 * sqrt(r2));
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 v = velocity[i];
    v.xyz += (float3)(ax, ay, az) * dt;
    velocity[i] = v;
    me.xyz += v.xyz * dt;
    to[i] = me;
}

kernel void draw(global const float4 *bodies, global uint *picture, int width, int height) {
    float4 b = bodies[get_global_id(0)];
    int x = (int)(width * (0.5f + 0.2f * b.x)), y = (int)(height * (0.5f + 0.2f * b.y));
    if (x >= 0 && x < width && y >= 0 && y < height)
        atomic_add(&picture[y * width + x], 1u);
}
