// options: -D N=4 -D FLAG -DJ=N
// -D name and -D name=def, ordered; -Dname accepted
#if N != 4 || FLAG != 1 || J != 4
#error
#endif
