// Structures of vectors: particles that fall, bounce off the ground and fade.
typedef struct {
    float4 position;
    float4 velocity;
    float4 colour;
    float age, mass;
    int bounces, kind;
} particle;

kernel void move(global const particle *from, global particle *to, float dt)
{
    size_t i = get_global_id(0);
    particle p = from[i];
    float4 force = (float4)(0.0f, -9.81f * p.mass, 0.0f, 0.0f) - 0.1f * p.velocity;
    p.velocity += force * (dt / p.mass);
    p.position += p.velocity * dt;
    if (p.position.y < 0.0f) {
        p.position.y = -p.position.y;
        p.velocity.y *= -0.5f;
        ++p.bounces;
    }
    p.age += dt;
    p.colour.w = exp(-p.age);
    to[i] = p;
}
