#!/usr/bin/env python3
"""Times real programs on OpenCL devices, beside each other: OpenCV's T-API at 1080p, PyOpenCL's arrays, tinygrad.

    programs.py NAME=FOLDER ...     folders of .icd files, as OCL_ICD_VENDORS takes them; the first is compared with the others

Wants the packages numpy, opencv-python-headless, pyopencl, mako and tinygrad; what is not there is left out. Each device runs
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


PROGRAMS = {"OpenCV": opencv, "PyOpenCL": pyopencl, "tinygrad": tinygrad}


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
