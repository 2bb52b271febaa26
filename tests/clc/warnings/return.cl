int bad_if(int x) { if (x) return 1; } // warning: 'bad_if' may end without returning a value
int bad_loop(int x) { for (;;) { if (x > 3) break; x++; } } // warning: 'bad_loop' may end without returning a value
int bad_while(int x) { while (x) { return 1; } } // warning: 'bad_while' may end without returning a value
int bad_switch(int x) { switch (x) { case 1: return 1; case 2: return 2; } } // warning: 'bad_switch' may end without returning a value
int bad_break(int x) { switch (x) { case 1: break; default: return 2; } } // warning: 'bad_break' may end without returning a value
int bad_goto(int x) { if (x) goto end; return 1; end: x++; } // warning: 'bad_goto' may end without returning a value
int bad_do(int x) { do { if (x) continue; return 1; } while (0); } // warning: 'bad_do' may end without returning a value
float4 bad_empty(float4 x) { x++; } // warning: 'bad_empty' may end without returning a value

int good_else(int x) { if (x) { return 1; } else return 2; }
int good_forever(int x) { while (1) { if (x) return 2; x++; } }
int good_for(int x) { for (;;) { if (x) { x++; continue; } return x; } }
int good_switch(int x) { switch (x) { case 1: return 1; default: return 2; } }
int good_inner(int x) { for (;;) { switch (x) { case 1: break; default: return 2; } } }
int good_do(int x) { do { return 1; } while (x); }
int good_goto(int x) { goto a; b: return 2; a: x++; goto b; }
int good_label(int x) { again: if (x++ < 9) goto again; return x; }
int good_constant(int x) { if (1) return x; }
int good_dead(int x) { return x; x++; }
void good_void(int x) { if (x) return; }
kernel void k(global int *g) { if (g[0]) return; g[1] = 1; }
