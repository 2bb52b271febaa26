// Runs on a machine with two NUMA nodes: checks that memory is in the node whose threads use it. Prints a line for each
// kind of device. Exit status: 0 if that holds in four of five launches and of five writes. Threads that the system holds up
// leave their share to others, so it does not always.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNT = 8 << 20, SIZE = COUNT * 4, PAGE = 4096, PAGES = SIZE / PAGE, ROUNDS = 5 };

static const char *SOURCE =
    "kernel void work(global int *to, int rounds) {"
    "    int value = get_global_id(0);"
    "    for (int round = 0; round < rounds; ++round) value = value * 3 + round;"
    "    to[get_global_id(0)] = value;"
    "}";

static int all_right = 1;

static void check(cl_int code, const char *what) {
    if (code == CL_SUCCESS) return;
    printf("%s: error %d\n", what, code);
    exit(1);
}

// Returns whether three quarters of the pages are in their nodes: in `node`, or each half in its own if that is -1.
static int is_near(cl_command_queue queue, cl_mem buffer, int node) {
    static void *pages[PAGES];
    static int nodes[PAGES];
    cl_int code;
    char *memory = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &code);
    check(code, "map");
    for (int page = 0; page < PAGES; page++) pages[page] = memory + (size_t)page * PAGE;
    check(syscall(SYS_move_pages, 0, (long)PAGES, pages, NULL, nodes, 0) != 0, "move_pages");
    int right = 0;
    for (int page = 0; page < PAGES; page++) right += nodes[page] == (node < 0 ? page >= PAGES / 2 : node);
    check(clEnqueueUnmapMemObject(queue, buffer, memory, 0, NULL, NULL), "unmap");
    check(clFinish(queue), "finish");
    return right >= PAGES / 4 * 3;
}

// Creates buffers that a kernel writes first, and others that the host writes first. `node` is -1 for the whole device.
static void run(cl_device_id device, int node, int *host) {
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "context");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
    check(code, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "work", &code);
    check(code, "kernel");
    size_t count = COUNT;
    int rounds = 200;
    check(clSetKernelArg(kernel, 1, sizeof rounds, &rounds), "argument");
    // The first launch finds all threads asleep, and begins on one of them; its buffer does not count.
    cl_mem launched[ROUNDS + 1], written[ROUNDS];
    for (int round = 0; round <= ROUNDS; round++) {
        launched[round] = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE, NULL, &code);
        check(code, "buffer");
        check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &launched[round]), "argument");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL), "launch");
    }
    for (int round = 0; round < ROUNDS; round++) {
        written[round] = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE, NULL, &code);
        check(code, "buffer");
        check(clEnqueueWriteBuffer(queue, written[round], CL_TRUE, 0, SIZE, host, 0, NULL, NULL), "write");
    }
    int launches = 0, writes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        launches += is_near(queue, launched[round + 1], node);
        writes += is_near(queue, written[round], node);
        clReleaseMemObject(launched[round]);
        clReleaseMemObject(written[round]);
    }
    printf("device %d: near memory in %d launches and %d writes of %d\n", node, launches, writes, ROUNDS);
    all_right &= launches >= ROUNDS - 1 && writes >= ROUNDS - 1;
    clReleaseMemObject(launched[ROUNDS]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device, nodes[2];
    cl_uint count = 0;
    int *host = calloc(COUNT, sizeof *host);
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_device_partition_property by_node[] = {
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    check(clCreateSubDevices(device, by_node, 2, nodes, &count), "sub-devices");
    if (count != 2) return printf("there are %u nodes\n", count), 1;
    run(device, -1, host);
    for (int node = 0; node < 2; node++) run(nodes[node], node, host);
    return !all_right;
}
