typedef struct { float pos; float mass; } body_t;
kernel void k(global body_t *g) {
  g[0].mas = 1; // error: 'struct body_t' has no member 'mas'; did you mean 'mass'
  g->velocity = 2; // error: 'struct body_t' has no member 'velocity'
  g.pos = 3; // error: 'global struct body_t *' has no member 'pos'; use '->'
}
