// Forces between an atom and the atoms of its list that are near enough, in double precision.
kernel void forces(global const double4 *positions, global const int *neighbours, global double4 *result, int each,
                   int atoms)
{
    size_t i = get_global_id(0);
    double4 me = positions[i];
    double fx = 0.0, fy = 0.0, fz = 0.0;
    for (int n = 0; n < each; ++n) {
        double4 other = positions[neighbours[n * atoms + i]];
        double dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < 9.0) {
            double inverse2 = 1.0 / r2;
            double inverse6 = inverse2 * inverse2 * inverse2;
            double force = inverse2 * inverse6 * (48.0 * inverse6 - 24.0);
            fx += dx * force;
            fy += dy * force;
            fz += dz * force;
        }
    }
    result[i] = (double4)(fx, fy, fz, 0.0);
}
