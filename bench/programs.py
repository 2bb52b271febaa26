#!/usr/bin/env python3
"""Times real programs on OpenCL devices, beside each other: OpenCV's T-API at 1080p, PyOpenCL's arrays, tinygrad, CLBlast
as it is tuned for a device that it does not know, VkFFT, OpenMM.

    programs.py NAME=FOLDER ...     folders of .icd files, as OCL_ICD_VENDORS takes them; the first is compared with the others

Wants the packages numpy, opencv-python-headless, pyopencl, mako, tinygrad, pyvkfft and openmm, and the library libclblast.so.1;
what is not there is left out. Each device runs
each program in a process of its own. A time is the median of up to seven runs behind two for warming up, from the call until
the queue is empty, in milliseconds. Libraries that a runtime needs are found by LD_LIBRARY_PATH.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import time


def median(call, wait):
    """The time of a call in milliseconds."""
    for _ in range(2):
        call()
        wait()
    times, start = [], time.perf_counter()
    while len(times) < 7 and time.perf_counter() - start < 3:
        before = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - before)
    return statistics.median(times) * 1e3


def opencv():
    import cv2
    import numpy as np

    cv2.ocl.setUseOpenCL(True)
    random = np.random.default_rng(1)
    gray, other = (cv2.UMat((random.random((1080, 1920)) * 255).astype(np.uint8)) for _ in range(2))
    colours = cv2.UMat((random.random((1080, 1920, 3)) * 255).astype(np.uint8))
    floats, more = (cv2.UMat(random.random((1080, 1920)).astype(np.float32)) for _ in range(2))
    square = cv2.UMat(random.random((512, 512)).astype(np.float32))
    piece = cv2.UMat(gray.get()[100:116, 100:116].copy())
    box = np.ones((5, 5), np.uint8)
    mean = np.full((5, 5), 1 / 25, np.float32)
    turned = np.float32([[0.9, 0.2, 5], [-0.1, 1.1, 3]])
    table = np.arange(255, -1, -1).astype(np.uint8)
    clahe = cv2.createCLAHE(2, (8, 8))
    calls = {
        "erode, 8 bits": lambda: cv2.erode(gray, box),
        "dilate, float": lambda: cv2.dilate(floats, box),
        "GaussianBlur, 8 bits": lambda: cv2.GaussianBlur(gray, (5, 5), 1.2),
        "GaussianBlur, float": lambda: cv2.GaussianBlur(floats, (7, 7), 1.5),
        "blur, colours": lambda: cv2.blur(colours, (5, 5)),
        "medianBlur": lambda: cv2.medianBlur(gray, 5),
        "bilateralFilter": lambda: cv2.bilateralFilter(gray, 7, 30, 30),
        "filter2D, float": lambda: cv2.filter2D(floats, -1, mean),
        "Sobel": lambda: cv2.Sobel(gray, cv2.CV_16S, 1, 0),
        "Laplacian, float": lambda: cv2.Laplacian(floats, cv2.CV_32F, ksize=3),
        "Canny": lambda: cv2.Canny(gray, 50, 150),
        "calcHist": lambda: cv2.calcHist([gray], [0], None, [256], [0, 256]),
        "equalizeHist": lambda: cv2.equalizeHist(gray),
        "CLAHE": lambda: clahe.apply(gray),
        "resize, linear": lambda: cv2.resize(colours, (1280, 720), interpolation=cv2.INTER_LINEAR),
        "resize, area": lambda: cv2.resize(colours, (960, 540), interpolation=cv2.INTER_AREA),
        "warpAffine": lambda: cv2.warpAffine(colours, turned, (1920, 1080)),
        "pyrDown": lambda: cv2.pyrDown(colours),
        "cvtColor, gray": lambda: cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY),
        "cvtColor, HSV": lambda: cv2.cvtColor(colours, cv2.COLOR_BGR2HSV),
        "cvtColor, Lab": lambda: cv2.cvtColor(colours, cv2.COLOR_BGR2Lab),
        "add, 8 bits": lambda: cv2.add(gray, other),
        "addWeighted, float": lambda: cv2.addWeighted(floats, 0.3, more, 0.6, 0),
        "threshold": lambda: cv2.threshold(gray, 99, 255, cv2.THRESH_BINARY),
        "LUT": lambda: cv2.LUT(gray, table),
        "integral": lambda: cv2.integral(gray),
        "flip": lambda: cv2.flip(colours, -1),
        "transpose": lambda: cv2.transpose(colours),
        "exp": lambda: cv2.exp(floats),
        "pow": lambda: cv2.pow(floats, 2.5),
        "matchTemplate": lambda: cv2.matchTemplate(gray, piece, cv2.TM_CCORR_NORMED),
        "gemm, 512": lambda: cv2.gemm(square, square, 1, None, 0),
        "dft, 512": lambda: cv2.dft(square),
    }
    return calls, cv2.ocl.finish


def pyopencl():
    import numpy as np
    import pyopencl as cl
    import pyopencl.array as arrays
    import pyopencl.clmath as clmath
    from pyopencl.algorithm import RadixSort
    from pyopencl.bitonic_sort import BitonicSort
    from pyopencl.scan import GenericScanKernel

    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)
    count = 1 << 22
    a, b = (arrays.to_device(queue, np.random.rand(count).astype(np.float32)) for _ in range(2))
    out = arrays.empty_like(a)
    ones = arrays.to_device(queue, np.ones(count, np.int32))
    scan = GenericScanKernel(
        context, np.int32, arguments="__global int *ary", input_expr="ary[i]", scan_expr="a+b", neutral="0",
        output_statement="ary[i] = item;",
    )
    few = arrays.to_device(queue, np.random.rand(1 << 18).astype(np.float32))
    bitonic = BitonicSort(context)
    keys = arrays.to_device(queue, np.random.randint(0, 1 << 30, 1 << 20).astype(np.uint32))
    radix = RadixSort(context, "unsigned *keys", key_expr="keys[i]", sort_arg_names=["keys"])
    calls = {
        "2 a + 3 b": lambda: a._axpbyz(out, 2, a, 3, b),
        "2 a + b b - a / 3": lambda: a * 2 + b * b - a / 3,
        "exp": lambda: clmath.exp(a),
        "sin": lambda: clmath.sin(a),
        "sum": lambda: arrays.sum(a).get(),
        "dot": lambda: arrays.dot(a, b).get(),
        "max": lambda: arrays.max(a).get(),
        "scan": lambda: scan(ones),
        "bitonic sort": lambda: bitonic(few.copy()),
        "radix sort": lambda: radix(keys),
    }
    return calls, queue.finish


def tinygrad():
    os.environ.update(CL="1", DEV="CL", CACHELEVEL="0")
    from tinygrad import Device, Tensor, TinyJit

    def jit(function, *args):
        compiled = TinyJit(function)
        for _ in range(3):
            compiled(*args)
        return lambda: compiled(*args)

    x, y = (Tensor.rand(512, 512).realize() for _ in range(2))
    images, weights = Tensor.rand(4, 16, 64, 64).realize(), Tensor.rand(32, 16, 3, 3).realize()
    rows = Tensor.rand(1024, 2048).realize()
    calls = {
        "matrix product": jit(lambda a, b: (a @ b).realize(), x, y),
        "convolution": jit(lambda a, b: a.conv2d(b, padding=1).realize(), images, weights),
        "softmax": jit(lambda a: a.softmax().realize(), rows),
        "layernorm": jit(lambda a: a.layernorm().realize(), rows),
        "gelu": jit(lambda a: a.gelu().realize(), rows),
    }
    return calls, Device[Device.DEFAULT].synchronize


def clblast():
    import ctypes

    import numpy as np
    import pyopencl as cl
    import pyopencl.array as arrays

    library = ctypes.CDLL("libclblast.so.1")
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)
    handle = ctypes.c_void_p(queue.int_ptr)
    event = ctypes.c_void_p()
    size, count = 512, 1 << 22
    row, no, upper, non_unit, left = 101, 111, 121, 131, 141

    def array(*shape):
        return arrays.to_device(queue, np.random.rand(*shape).astype(np.float32))

    x, y, a, b, c = array(count), array(count), array(size, size), array(size, size), array(size, size)
    # A dominant diagonal keeps the solutions of the system bounded.
    a += arrays.to_device(queue, size * np.eye(size, dtype=np.float32))
    wide = array(2048, 2048)

    def call(name, *args):
        """A function of the C interface: ints are sizes or enumerators, arrays the buffer, offset 0 and what follows."""
        given = []
        for arg in args:
            if isinstance(arg, arrays.Array):
                given += [ctypes.c_void_p(arg.data.int_ptr), ctypes.c_size_t(0)]
            elif isinstance(arg, float):
                given.append(ctypes.c_float(arg))
            else:
                given.append(ctypes.c_size_t(arg))
        function = getattr(library, "CLBlastS" + name)

        def run():
            status = function(*given, ctypes.byref(handle), ctypes.byref(event))
            if status:
                raise RuntimeError(f"CLBlastS{name} returned {status}")
            cl.Event.from_int_ptr(event.value, retain=False)

        # The arrays must outlive the call.
        run.args = args
        return run

    calls = {
        "axpy": call("axpy", count, 2.0, x, 1, y, 1),
        "dot": call("dot", count, c, x, 1, y, 1),
        "gemv, 2048": call("gemv", row, no, 2048, 2048, 1.0, wide, 2048, x, 1, 0.0, y, 1),
        "gemm, 512": call("gemm", row, no, no, size, size, size, 1.0, a, size, b, size, 0.0, c, size),
        "trsm, 512": call("trsm", row, left, upper, no, non_unit, size, size, 1.0, a, size, b, size),
    }
    return calls, queue.finish


def vkfft():
    import numpy as np
    import pyopencl as cl
    import pyopencl.array as arrays
    from pyvkfft.opencl import VkFFTApp

    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)

    def transform(*shape, ndim):
        data = arrays.to_device(queue, np.random.rand(*shape).astype(np.complex64))
        out = arrays.empty_like(data)
        app = VkFFTApp(data.shape, data.dtype, queue, ndim=ndim, inplace=False)
        return lambda: app.fft(data, out)

    calls = {
        "1024, 1024 times": transform(1024, 1024, ndim=1),
        "1 Mi": transform(1 << 20, ndim=1),
        "1024 x 1024": transform(1024, 1024, ndim=2),
        "1000 x 700": transform(1000, 700, ndim=2),
        "128 x 128 x 128": transform(128, 128, 128, ndim=3),
    }
    return calls, queue.finish


def openmm():
    """Ten steps of 8000 atoms in a box: by forces that end, and with charges that act at any distance (PME)."""
    import openmm as mm
    import numpy as np

    side, length = 20, 7.4

    def steps(charge):
        system = mm.System()
        system.setDefaultPeriodicBoxVectors((length, 0, 0), (0, length, 0), (0, 0, length))
        force = mm.NonbondedForce()
        force.setNonbondedMethod(force.PME if charge else force.CutoffPeriodic)
        force.setCutoffDistance(0.9)
        for atom in range(side**3):
            system.addParticle(39.9)
            force.addParticle(charge * (-1) ** atom, 0.34, 0.997)
        system.addForce(force)
        places = np.indices((side,) * 3).reshape(3, -1).T + np.random.default_rng(1).uniform(-0.1, 0.1, (side**3, 3))
        platform = mm.Platform.getPlatformByName("OpenCL")
        context = mm.Context(system, mm.LangevinMiddleIntegrator(120, 1.0, 0.002), platform, {"Precision": "single"})
        context.setPositions(places * length / side)

        def run():
            context.getIntegrator().step(10)
            context.getState(getEnergy=True)

        return run

    return {"atoms, 10 steps": steps(0), "charged atoms, 10 steps": steps(0.2)}, lambda: None


PROGRAMS = {
    "OpenCV": opencv,
    "PyOpenCL": pyopencl,
    "tinygrad": tinygrad,
    "CLBlast": clblast,
    "VkFFT": vkfft,
    "OpenMM": openmm,
}


def child(program):
    calls, wait = PROGRAMS[program]()
    times = {}
    for name, call in calls.items():
        try:
            times[name] = median(call, wait)
        except Exception as error:
            print(f"{program}, {name}: {str(error)[:200]}", file=sys.stderr)
    print(json.dumps(times))


def main():
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2])
        return
    folders = dict(argument.split("=", 1) for argument in sys.argv[1:])
    if not folders:
        sys.exit(__doc__)
    times = {}
    for program in PROGRAMS:
        for device, folder in folders.items():
            environment = dict(
                os.environ, OCL_ICD_VENDORS=folder, OPENCV_OPENCL_DEVICE=":CPU:", OPENCV_OPENCL_CACHE_ENABLE="0",
                PYOPENCL_NO_CACHE="1", OPENBLAS_NUM_THREADS="1",
            )
            command = [sys.executable, "-W", "ignore", __file__, "--child", program]
            ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
            if ran.returncode == 0:
                for name, value in json.loads(ran.stdout.splitlines()[-1]).items():
                    times.setdefault((program, name), {})[device] = value
            else:
                print(f"{program} on {device}: {ran.returncode}", file=sys.stderr)
    first, *others = folders
    print("| program | " + " | ".join(f"{device}, ms" for device in folders) + " | ", end="")
    print(" | ".join(f"{first} / {other}" for other in others) + " |")
    print("|---|" + "--:|" * (len(folders) + len(others)))
    ratios = {other: [] for other in others}
    for (program, name), row in times.items():
        cells = [f"{row[device]:.2f}" if device in row else "-" for device in folders]
        for other in others:
            known = first in row and other in row
            cells.append(f"{row[first] / row[other]:.2f}" if known else "-")
            if known:
                ratios[other].append(math.log(row[first] / row[other]))
        print(f"| {program}: {name} | " + " | ".join(cells) + " |")
    means = [f"{math.exp(statistics.mean(values)):.3f}" if values else "-" for values in ratios.values()]
    print("| geometric mean | " + " | ".join([""] * len(folders) + means) + " |")


if __name__ == "__main__":
    main()
