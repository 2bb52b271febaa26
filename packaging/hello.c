// Runs a kernel on every device that the ICD loader finds. Prints a line for each: platform, version, result.
// Exit status: 0 if all results are right and there is a device.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>

enum { COUNT = 1000 };

static const char *SOURCE = "kernel void squares(global int *to) { size_t i = get_global_id(0); to[i] = i * i; }";

static int right(cl_device_id device) {
    int result[COUNT] = {0};
    size_t count = COUNT;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 0;
    cl_kernel kernel = clCreateKernel(program, "squares", NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof result, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
    if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL) != CL_SUCCESS) return 0;
    int all = 1;
    for (int i = 0; i < COUNT; i++) all &= result[i] == i * i;
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return all;
}

int main(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    int wrong = clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS || count == 0;
    for (cl_uint p = 0; p < count && p < 16; p++) {
        char name[256] = "", version[256] = "";
        cl_device_id device;
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
        clGetPlatformInfo(platforms[p], CL_PLATFORM_VERSION, sizeof version, version, NULL);
        int ok = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS && right(device);
        printf("%s: %s: %s\n", name, version, ok ? "right" : "wrong");
        wrong |= !ok;
    }
    return wrong;
}
