// The book's doubleData in OpenCL 2.0, its slip mended: one helper, one generic pointer.
// options: -cl-std=CL2.0
// run: doubleData global=8 local=4 args: float[8] = iota; local 16; int = 1
// expect: 0 = 0 2 4 6 8 10 12 14
// run: doubleData global=8 local=4 args: float[8] = iota; local 16; int = 0
// expect: 0 = 0 2 4 6 8 10 12 14
void doDouble(float *data, int index) {
    data[index] *= 2;
}
__kernel void doubleData(global float *globalData, // the data
                         local float *localData,   // local storage
                         int useLocal) {           // whether or not to use local memory
    int globalId = get_global_id(0);
    int localId = get_local_id(0);
    generic float *data; // generic keyword not required
    int myIndex;
    if (useLocal) {
        localData[localId] = globalData[globalId];
        data = localData;
        myIndex = localId;
    } else {
        data = globalData;
        myIndex = globalId;
    }
    doDouble(data, myIndex);
    if (useLocal) {
        globalData[globalId] = localData[localId];
    }
}
