// options: -cl-std=CL2.0
// All work-items must reach the call with equal arguments; else undefined (no diagnostic required).
