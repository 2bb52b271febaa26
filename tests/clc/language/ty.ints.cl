// options: -cl-std=CL1.2
// char short int long are 8 16 32 64 bit two's complement
constant int a[sizeof(char)==1 && sizeof(short)==2 && sizeof(int)==4 && sizeof(long)==8 && sizeof(unsigned long)==8 ? 1 : -1] = {0};
constant int a_[(char)255==-1 && (short)65535==-1 && (int)0xffffffffu==-1 && ~0==-1 ? 1 : -1] = {0};
