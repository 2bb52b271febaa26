// The book's doubleData as OpenCL 1.x wants it: a helper for each address space.
// options: -cl-std=CL1.2
// run: doubleData global=8 local=4 args: float[8] = iota; local 16; int = 1
// expect: 0 = 0 2 4 6 8 10 12 14
// run: doubleData global=8 local=4 args: float[8] = iota; local 16; int = 0
// expect: 0 = 0 2 4 6 8 10 12 14
void doDoubleGlobal(__global float *data, int index) {
    data[index] *= 2;
}
void doDoubleLocal(__local float *data, int index) {
    data[index] *= 2;
}
__kernel void doubleData(global float *globalData, // the data
                         local float *localData,   // local storage
                         int useLocal) {           // whether or not to use local memory
    int globalId = get_global_id(0);
    int localId = get_local_id(0);
    if (useLocal) {
        localData[localId] = globalData[globalId];
        doDoubleLocal(localData, localId);
        globalData[globalId] = localData[localId];
    } else {
        doDoubleGlobal(globalData, globalId);
    }
}
