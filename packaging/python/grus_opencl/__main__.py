"""`python -m grus_opencl`: see the package."""

import argparse

import grus_opencl

parser = argparse.ArgumentParser("python -m grus_opencl", description="Prints the path of the OpenCL library of Grus.")
parser.add_argument("--register", action="store_true", help="write an .icd file into this environment instead")
if parser.parse_args().register:
    print(f"{grus_opencl.register()} is written. Loaders from outside this environment read it by")
    print(f"export OCL_ICD_VENDORS={grus_opencl.vendors()}")
else:
    print(grus_opencl.library())
