// options: -cl-std=CL2.0
// The implementation need not pool constants; each program-scope constant may count as one argument (portable limit).
